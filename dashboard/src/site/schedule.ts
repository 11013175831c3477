import { t } from '../text.ts'
import { hourOf } from '../words.ts'
import { holds, type Site } from './nouns.ts'

/** When a site is backed up by itself, in a sentence. */
export function scheduleOf({ schedule }: Site): string {
  if (!schedule) return t('No schedule: only what is started by hand.')
  const what = { at: hourOf(schedule.at), type: holds[schedule.type] }
  return schedule.inherited ? t('Backed up daily at {at}, {type}, as all sites are.', what) : t('Backed up daily at {at}, {type}.', what)
}
