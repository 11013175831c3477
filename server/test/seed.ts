const { FUZZ_SEED = '1' } = process.env

/**
 * Where tests at random begin. The same tree is tried with the same requests, so that whoever changes it sees what he broke;
 * `npm run prove:fuzz` (`FUZZ_SEED=random`) goes where nobody was, and `FUZZ_SEED=<number>` there again.
 */
export const seed = FUZZ_SEED === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED)
