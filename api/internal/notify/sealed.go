package notify

import "github.com/google/uuid"

// AddressPlace is what a contact method's sealed address belongs to: the place to seal
// it for and to open it with.
func AddressPlace(orgID, contactMethodID uuid.UUID) string {
	return "contact_method/" + orgID.String() + "/" + contactMethodID.String() + "/address"
}

// SecretPlace is AddressPlace for the secret that signs messages.
func SecretPlace(orgID, contactMethodID uuid.UUID) string {
	return "contact_method/" + orgID.String() + "/" + contactMethodID.String() + "/secret"
}
