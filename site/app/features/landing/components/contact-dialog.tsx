import * as buttonKit from '~/components/ui/button.module.css';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { company } from '~/lib/company';

/** How to reach a person about the enterprise plan. */
export function ContactDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Talk to a person" narrow onClose={onClose}>
      <div className={dialogKit.body}>
        <p className="text-2">
          Tell us how many people are on call and what wakes them today. A person answers within one working
          day.
        </p>
        <a
          className={buttonKit.button}
          data-look="primary"
          data-size="lg"
          href={`mailto:${company.salesEmail}?subject=Nightbell%20Enterprise`}
        >
          Write to {company.salesEmail}
        </a>
        <p className={dialogKit.note}>This opens your mail program.</p>
      </div>
    </Dialog>
  );
}
