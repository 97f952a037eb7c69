package main

import "context"

type pageCommand struct{ setting }

func (c pageCommand) Run(context.Context) error { return nil }
