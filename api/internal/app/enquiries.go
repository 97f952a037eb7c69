package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightbell/nightbell/api/internal/enquiry"
)

// ExportEnquiries writes what visitors of the landing page left, as CSV.
func ExportEnquiries(ctx context.Context, config Config, options Options) (err error) {
	s, err := prepare(ctx, config, options)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	return enquiry.Export(ctx, s.db, options.Out)
}

// DeleteEnquiries forgets everything that came from an e-mail address.
func DeleteEnquiries(ctx context.Context, config Config, options Options, email string) (err error) {
	s, err := prepare(ctx, config, options)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	deleted, err := enquiry.Delete(ctx, s.db, email)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(options.Out, "Deleted: %d\n", deleted)
	return err
}
