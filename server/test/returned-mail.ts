// What mail servers send back to a mail they gave up, as a few of them write it.

export interface Return {
  /** The return address of the mail. */
  to: string
  address?: string
  action?: string
  code?: string
  said?: string
}

const folded = (said: string) => said.replaceAll('\n', '\n    ')

/** As Postfix does. */
export const byPostfix = ({ to, address = 'gone@example.com', action = 'failed', code = '5.1.1', said = 'smtp; 550 5.1.1' }: Return) =>
  `From MAILER-DAEMON Mon Feb  1 09:00:00 2027
Received: by mx.example.com (Postfix)
\tid 4D2F1C0035; Mon,  1 Feb 2027 09:00:00 +0000 (UTC)
From: MAILER-DAEMON@mx.example.com (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: ${to}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="4C0B1C0033.1801472400/mx.example.com"

This is a MIME-encapsulated message.

--4C0B1C0033.1801472400/mx.example.com
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

--4C0B1C0033.1801472400/mx.example.com
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com
X-Postfix-Queue-ID: 4C0B1C0033
X-Postfix-Sender: rfc822; ${to}
Arrival-Date: Mon,  1 Feb 2027 08:59:58 +0000 (UTC)

Final-Recipient: rfc822; ${address}
Original-Recipient: rfc822;${address}
Action: ${action}
Status: ${code}
Remote-MTA: dns; mail.example.com
Diagnostic-Code: ${folded(said)}

--4C0B1C0033.1801472400/mx.example.com
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

Return-Path: <${to}>
Subject: Report

--4C0B1C0033.1801472400/mx.example.com--
`

/** As Exchange does: CRLF, no quotes, the part nobody needs first, names in other letters. */
export const byExchange = ({ to, address = 'gone@example.com', action = 'failed', code = '5.1.10', said = '' }: Return) =>
  `From: <postmaster@example.onmicrosoft.com>
To: <${to}>
Subject: Undeliverable: Report
MIME-Version: 1.0
Content-Type: multipart/report; boundary=81d1_NAM_; report-type=delivery-status

--81d1_NAM_
Content-Type: multipart/alternative; differences=Content-Type; boundary=inner

--inner
Content-Type: text/html

<b>Your message wasn't delivered.</b>
--inner--

--81d1_NAM_
CONTENT-TYPE: message/delivery-status

Reporting-MTA: dns;AM0PR01.prod.outlook.com

final-recipient: RFC822;${address}
action: ${action}
status: ${code}
diagnostic-code: smtp;${folded(said)}

--81d1_NAM_--
`.replaceAll('\n', '\r\n')

/** What people's programs answer while they are away. */
export const awayMessage = (to: string) => `From: Ann <ann@example.com>
To: ${to}
Subject: Out of office
Auto-Submitted: auto-replied
Content-Type: text/plain

Action: failed
Status: 5.1.1
I am away. ${to}
`
