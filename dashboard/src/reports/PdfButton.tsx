import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { addressOf, respond } from '../api.ts'
import { messageOf } from '../queries.ts'
import { t } from '../text.ts'
import { useSay } from '../ui/toasts.tsx'

/** Hands the browser a file to keep, under the name that the service gives it. */
async function keep(answer: Response): Promise<void> {
  const address = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'report.pdf'
  link.click()
  // Not before the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Printing takes a while, and others may be before it: the page says so, and what went wrong. */
export function PdfButton({ id }: { id: string }) {
  const say = useSay()
  const input = { report_id: id }
  const making = useMutation({
    mutationFn: async () => keep(await respond('reports.pdf', input)),
    onError: (error) => say(messageOf(error)),
  })
  return (
    <Button
      variant="default"
      component="a"
      href={addressOf('reports.pdf', input)}
      aria-busy={making.isPending}
      onClick={(event) => {
        event.preventDefault()
        if (making.isPending) return
        say(t('The PDF is being made.'))
        making.mutate()
      }}
    >
      {making.isPending ? t('Making the PDF …') : 'PDF'}
    </Button>
  )
}
