package notify

import "github.com/google/uuid"

// AddressPlace is the additional data that ties a sealed address to its contact method, for Seal and Open alike.
func AddressPlace(orgID, contactMethodID uuid.UUID) string {
	return "contact_method/" + orgID.String() + "/" + contactMethodID.String() + "/address"
}

// MailTextPlace is what the sealed text of a mail in the built-in inbox belongs to.
func MailTextPlace(orgID, mailID uuid.UUID) string {
	return "inbox_mail/" + orgID.String() + "/" + mailID.String() + "/text"
}

// MailHTMLPlace is MailTextPlace for its HTML.
func MailHTMLPlace(orgID, mailID uuid.UUID) string {
	return "inbox_mail/" + orgID.String() + "/" + mailID.String() + "/html"
}

// SecretPlace is AddressPlace for the secret that signs messages.
func SecretPlace(orgID, contactMethodID uuid.UUID) string {
	return "contact_method/" + orgID.String() + "/" + contactMethodID.String() + "/secret"
}
