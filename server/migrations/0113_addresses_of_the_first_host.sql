-- They may be those of another host, to which the site redirects: the next check tells anew where the site itself is.
UPDATE uptime_monitors SET addresses = NULL WHERE addresses IS NOT NULL;
