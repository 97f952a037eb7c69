package analyticsrpc

import (
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/analytics"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// mostAlerts is how many of the noisiest are named.
const mostAlerts = 20

func answer(report analytics.Report, zone *time.Location, compare bool, pagesKept int32) *nightbellv1.GetAnalyticsResponse {
	response := &nightbellv1.GetAnalyticsResponse{
		Period: periodMessage(report.Periods[0]), Timezone: zone.String(), PagesKeptDays: pagesKept,
		Severities: groups(report.Severities[:], compare), Services: groups(report.Services, compare), Teams: groups(report.Teams, compare),
		Hours: hours(report.Hours), AlertCount: int32(len(report.Noise)),
	}
	if compare {
		response.Before = periodMessage(report.Periods[1])
	}
	for _, person := range report.People {
		one := &nightbellv1.PersonLoad{UserId: person.ID.String(), Name: person.Name, Timezone: person.Zone, Figures: load(person.Loads[0])}
		if compare {
			one.Before = load(person.Loads[1])
		}
		response.People = append(response.People, one)
	}
	for _, noise := range report.Noise[:min(mostAlerts, len(report.Noise))] {
		response.Alerts = append(response.Alerts, noiseMessage(noise, compare))
	}
	return response
}

func periodMessage(p analytics.PeriodFigures) *nightbellv1.AnalyticsPeriod {
	message := &nightbellv1.AnalyticsPeriod{
		Since: timestamppb.New(p.Period.Since), Until: timestamppb.New(p.Period.Until), Figures: figures(p.Total),
		DisturbedNightCount: int32(p.Nights), SleepLostSeconds: seconds(p.Sleep),
	}
	for _, day := range p.Days {
		message.Days = append(message.Days, &nightbellv1.DayFigures{
			Date: day.Day.String(), Figures: figures(day.Figures),
			CriticalCount: int32(day.BySeverity[0]), HighCount: int32(day.BySeverity[1]), MediumCount: int32(day.BySeverity[2]), LowCount: int32(day.BySeverity[3]),
		})
	}
	return message
}

func figures(f analytics.Figures) *nightbellv1.IncidentFigures {
	return &nightbellv1.IncidentFigures{
		IncidentCount: int32(f.Triggered), AcknowledgedCount: int32(f.Acknowledged), ResolvedCount: int32(f.Resolved), PageCount: int32(f.Pages),
		MttaSeconds: f.MTTA(), MttrSeconds: f.MTTR(),
	}
}

func groups(list []analytics.Group, compare bool) (messages []*nightbellv1.GroupFigures) {
	for _, g := range list {
		message := &nightbellv1.GroupFigures{Id: optional(g.ID), Name: g.Name, Figures: figures(g.Figures[0])}
		if compare {
			message.Before = figures(g.Figures[1])
		}
		messages = append(messages, message)
	}
	return messages
}

func load(l analytics.Load) *nightbellv1.PersonFigures {
	message := &nightbellv1.PersonFigures{
		PageCount: int32(l.Pages), IncidentCount: int32(l.Incidents),
		AcknowledgedCount: int32(l.Acknowledged.Triggered), MttaSeconds: l.Acknowledged.MTTA(), MttrSeconds: l.Acknowledged.MTTR(),
		NightCount: int32(len(l.Nights)), NightPageCount: int32(l.NightPages), SleepLostSeconds: seconds(l.Sleep),
		WeekendCount: int32(l.Weekends), WeekendPageCount: int32(l.WeekendPages),
	}
	for _, night := range l.Nights {
		message.Nights = append(message.Nights, &nightbellv1.DisturbedNight{
			Date: night.Began.String(), PageCount: int32(night.Pages), SleepLostSeconds: seconds(night.Sleep),
		})
	}
	return message
}

func hours(pages [7][24]int) (messages []*nightbellv1.HourLoad) {
	for day := range pages {
		for hour, count := range pages[day] {
			if count > 0 {
				messages = append(messages, &nightbellv1.HourLoad{Weekday: int32(day + 1), Hour: int32(hour), PageCount: int32(count)})
			}
		}
	}
	return messages
}

func noiseMessage(n analytics.Noise, compare bool) *nightbellv1.AlertNoise {
	message := &nightbellv1.AlertNoise{
		Title: n.Newest.Title, IncidentId: n.Newest.ID.String(), ServiceId: optional(n.Newest.Service), ServiceName: n.ServiceName,
		IncidentCount: int32(n.Incidents), UnansweredCount: int32(n.Unanswered), PageCount: int32(n.Pages[0]), NightPageCount: int32(n.NightPages),
		SleepLostSeconds: seconds(n.Sleep),
	}
	if compare {
		message.BeforePageCount = new(int32(n.Pages[1]))
	}
	return message
}

func optional(key uuid.UUID) *string {
	if key == uuid.Nil {
		return nil
	}
	return new(key.String())
}

func seconds(d time.Duration) int32 { return incident.WholeSeconds(d.Seconds()) }
