// Package failpoint names moments at which a test can make the program fail, so that
// crashes are tried where they hurt and not only where chance has them. At does
// nothing, and costs nothing, unless the program was built with the tag failpoints.
//
// Such a program reads NIGHTBELL_FAILPOINTS once: a list, separated by semicolons, of
//
//	moment=exit        end the program there, without a word
//	moment=panic       panic there
//	moment=hang        never come back
//	moment=panic@text  only when what At was told contains the text
//
// Moments: "storing" (an alert, before its transaction), "stored" (committed, not
// answered yet), "claimed", "sending" and "sent" (of a page), "webhooks_filled" (deliveries were made of the feed),
// "webhook_claimed" and "webhook_sent" (of a delivery), "deciding" (an
// escalation), "sweep" (a round of the loop of that name), "watch" (a look at
// the database servers).
package failpoint
