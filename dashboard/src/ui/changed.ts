/** What somebody changed in a form: the rest may be otherwise by now, and is not sent. */
export const changedIn = <Form extends object>(before: Form, now: Form): Partial<Form> =>
  Object.fromEntries(
    Object.entries(now).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Form])),
  ) as Partial<Form>
