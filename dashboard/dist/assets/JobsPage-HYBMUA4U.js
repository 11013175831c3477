import{a,b}from"./chunk-ILNO6NFP.js";import"./chunk-3F3GI7VU.js";import"./chunk-WL44I22O.js";import"./chunk-EQLCSZCK.js";import"./chunk-5VO6INCZ.js";export{b as JobRows,a as JobsPage};
