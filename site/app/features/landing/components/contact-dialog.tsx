import { Dialog } from '~/components/ui/dialog';
import { company } from '~/lib/company';

/** How to reach a person about the enterprise plan. */
export function ContactDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Talk to a person" narrow onClose={onClose}>
      <div className="body">
        <p className="text-2">
          Tell us how many people are on call and what wakes them today. A person answers within one working
          day.
        </p>
        <a className="btn primary lg" href={`mailto:${company.salesEmail}?subject=Nightbell%20Enterprise`}>
          Write to {company.salesEmail}
        </a>
        <p className="note">This opens your mail program.</p>
      </div>
    </Dialog>
  );
}
