import{a,b}from"./chunk-GSANHXZT.js";import"./chunk-K6Y5RV73.js";import"./chunk-WL44I22O.js";import"./chunk-EQLCSZCK.js";import"./chunk-5VO6INCZ.js";export{a as ApprovalState,b as ApprovalsPage};
