import{a,b}from"./chunk-2J43WJ2H.js";import"./chunk-F6ROOXPC.js";import"./chunk-GBGXZ2P7.js";import"./chunk-STNFSXNY.js";import"./chunk-V5SM3VHA.js";export{b as JobRows,a as JobsPage};
