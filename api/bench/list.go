package main

import "context"

type listCommand struct{ setting }

func (c listCommand) Run(context.Context) error { return nil }
