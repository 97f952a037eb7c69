package delivery

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// message makes what one claim says, of the incidents that are still triggered. It
// fails when the contact's address cannot be opened.
func (d *Outbox) message(claim notifydb.Claim, checked notifydb.Checked, now time.Time) (notify.Message, error) {
	contact, err := d.open(claim, checked.Contact)
	if err != nil {
		return notify.Message{}, err
	}
	message := notify.Message{
		DeliveryID: claim.DeliveryID, OrgID: claim.OrgID, OrgName: checked.Contact.OrgName,
		To: contact, PersonName: checked.Contact.PersonName, SentAt: now, Tries: claim.Tries,
	}
	var pages []uuid.UUID
	listed := map[uuid.UUID]bool{}
	for _, page := range claim.Pages {
		about, ok := checked.Incidents[page.ID]
		if !ok || !about.Unanswered || checked.Held[page.ID] {
			continue
		}
		pages = append(pages, page.ID)
		if !listed[about.ID] {
			listed[about.ID] = true
			about.URL = d.options.PublicURL + "/incidents/" + about.ID.String()
			message.Incidents = append(message.Incidents, about)
		}
	}
	if d.options.VerifyMail && checked.Contact.Unverified {
		message.SignInURL = d.options.PublicURL + "/incidents"
	}
	notify.Order(message.Incidents)
	message.ID = notify.MessageID(pages)
	if claim.UserID != nil {
		message.UserID = *claim.UserID
		message.AckURL = d.options.PublicURL + "/ack/" + notify.MintAck(d.options.AckKey, notify.AckClaims{
			OrgID: claim.OrgID, DeliveryID: claim.DeliveryID, UserID: *claim.UserID, Expires: now.Add(notify.AckLifetime),
		})
	}
	return message, nil
}

// open unseals where a message goes.
func (d *Outbox) open(claim notifydb.Claim, stored notifydb.Contact) (notify.Contact, error) {
	contact := notify.Contact{ID: claim.ContactMethodID, Kind: stored.Kind, Name: stored.Name, Address: stored.Address}
	if len(stored.AddressSealed) > 0 {
		address, err := d.options.Opener.Open(stored.AddressSealed, notify.AddressPlace(claim.OrgID, claim.ContactMethodID))
		if err != nil {
			return notify.Contact{}, fmt.Errorf("the address: %w", err)
		}
		contact.Address = string(address)
	}
	if len(stored.SecretSealed) > 0 {
		secret, err := d.options.Opener.Open(stored.SecretSealed, notify.SecretPlace(claim.OrgID, claim.ContactMethodID))
		if err != nil {
			return notify.Contact{}, fmt.Errorf("the signing secret: %w", err)
		}
		contact.Secret = slices.Clone(secret)
	}
	return contact, nil
}
