import{a,b}from"./chunk-WIQ234WS.js";import"./chunk-D2YQWG3I.js";import"./chunk-SJCYGTVY.js";import"./chunk-NIMVDA77.js";import"./chunk-WZAGSDEG.js";export{b as JobRows,a as JobsPage};
