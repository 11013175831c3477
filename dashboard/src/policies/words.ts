import type { Output } from '../api.ts'
import { t } from '../text.ts'

export type Decision = Output<'policies.get'>['effects'][number]['decision']

export const words: Record<Decision, string> = { auto: t('Done at once'), ask: t('A person decides'), never: t('Refused') }
