import{a,b}from"./chunk-QU7BGUDD.js";import"./chunk-ZC24LZAV.js";import"./chunk-SJCYGTVY.js";import"./chunk-NIMVDA77.js";import"./chunk-WZAGSDEG.js";export{a as ApprovalState,b as ApprovalsPage};
