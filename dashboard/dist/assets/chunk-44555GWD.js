function o(t,e){return typeof t=="boolean"?t:e.autoContrast}export{o as a};
