/** A name in backticks, as MySQL reads it. */
export const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
