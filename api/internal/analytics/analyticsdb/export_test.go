package analyticsdb

// Those whose cost grows with the period.
const (
	ReadIncidentsSQL = readIncidentsSQL
	ReadPagesSQL     = readPagesSQL
)
