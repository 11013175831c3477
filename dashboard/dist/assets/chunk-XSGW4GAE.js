import{b as r,c as u}from"./chunk-2AZRVHDR.js";var t=r(u(),1);function s(o){let e=(0,t.createContext)(null);return[e,()=>{let n=(0,t.use)(e);if(n===null)throw new Error(o);return n}]}export{s as a};
