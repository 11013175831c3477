import{a,b}from"./chunk-IOREUEBV.js";import"./chunk-R5TY6275.js";import"./chunk-SHENOUOQ.js";import"./chunk-IXUL65VS.js";export{b as RolloutState,a as UpdatesPage};
