import{a,b}from"./chunk-YDXD23BX.js";import"./chunk-C3SVOXL3.js";import"./chunk-FN4K5SIT.js";import"./chunk-GLTGMJCX.js";export{b as JobRows,a as JobsPage};
