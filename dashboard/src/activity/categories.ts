export const categories = ['maintenance', 'update', 'fix', 'security', 'performance', 'content', 'backup', 'other'] as const
