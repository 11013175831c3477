import{a,b}from"./chunk-GFRBL4PK.js";import"./chunk-KU7DQYVW.js";import"./chunk-FSSHUUHC.js";import"./chunk-SHENOUOQ.js";import"./chunk-IXUL65VS.js";export{b as JobRows,a as JobsPage};
