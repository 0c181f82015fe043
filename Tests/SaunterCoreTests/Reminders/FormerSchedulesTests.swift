import Testing

@testable import SaunterCore

/// Reminders of open occasions whose schedule the current version does not have.
@Suite struct FormerSchedulesTests {
    /// Open from 10:00 to 14:00, with reminders at 10:00, 11:00 and 13:00, and in the mail of 12:00.
    private func former() throws -> Schedule {
        var schedule = Sample.schedule(
            "former", slots: [try Sample.slot("10:00", due: 2 * hour, close: 4 * hour)])
        schedule.reminders = [.atOpen, .afterOpen(seconds: hour), .beforeClose(seconds: hour)]
        return schedule
    }

    /// The version since 10:30: another schedule, with the same mail time.
    private func study() throws -> Study {
        var study = Sample.study([
            Sample.schedule(
                asks: "morning", slots: [try Sample.slot("06:00", due: hour, close: hour)])
        ])
        study.reminder = ReminderRule(at: try time("12:00"), quietFrom: .midnight, quietTo: .midnight)
        return study
    }

    private func open() throws -> Occasion {
        Sample.occasion(schedule: "former", open: try at("2026-05-04T10:00:00Z"))
    }

    private func planner(_ study: Study) throws -> ReminderPlanner {
        ReminderPlanner(
            study: study, occasions: [try open()], zone: .utc, enrolledAt: try at("2026-05-01T00:00:00Z"),
            plannedThrough: .maximum, followedFrom: try at("2026-05-04T10:30:00Z"))
    }

    @Test
    func `remaining reminders of a former schedule are sent, also by daily mail, and missed ones are not`()
        throws
    {
        let now = try at("2026-05-04T10:30:00Z")
        let withFormerReminders = try study().addingReminders(of: [try former()])

        let ahead = try planner(withFormerReminders).upcomingMessages(after: now, limit: 9).map { message in
            "\(message.at) \(message.reminders.map(\.key.kind.rawValue))"
        }

        #expect(
            ahead == [
                #"2026-05-04T11:00:00.000Z ["after_open"]"#, #"2026-05-04T12:00:00.000Z ["due_today"]"#,
                #"2026-05-04T13:00:00.000Z ["before_close"]"#,
            ])
        #expect(try planner(withFormerReminders).nextCheck(at: now) == (try at("2026-05-04T11:00:00Z")))
        #expect(try planner(withFormerReminders).decision(at: now, scheduledAt: now).send == [])
        #expect(try planner(study()).upcomingMessages(after: now, limit: 9) == [])
    }

    @Test func `a schedule that the version still has uses its own reminders`() throws {
        var own = try former()
        own.reminders = []
        var study = try study()
        study.schedules.append(own)

        #expect(study.addingReminders(of: [try former()]) == study)
    }

    @Test func `only open occasions without a schedule in the version belong to former schedules`() throws {
        let study = try study()
        let open = try open()
        var answered = open
        answered.completedAt = open.window.openAt
        let known = Sample.occasion(open: open.window.openAt)

        let at = open.window.openAt
        #expect(study.openOccasionsOfFormerSchedules([answered, known, open], at: at) == [open])
        #expect(study.openOccasionsOfFormerSchedules([open], at: at.adding(milliseconds: -1)) == [])
        #expect(study.openOccasionsOfFormerSchedules([open], at: open.window.closeAt) == [])
    }

    @Test func `an existing check keeps its time, and without one the check happens immediately`() throws {
        let study = try study()
        let open = try open()
        let now = open.window.openAt
        let (sooner, later) = (now.adding(seconds: 60), now.adding(seconds: 120))
        func nextCheck(_ next: Instant?, pending: Instant?, _ occasions: [Occasion]) -> Instant? {
            study.nextCheck(next, pending: pending, occasions: occasions, at: now)
        }

        #expect(nextCheck(later, pending: sooner, [open]) == sooner)
        #expect(nextCheck(sooner, pending: later, [open]) == sooner)
        #expect(nextCheck(nil, pending: later, [open]) == later)
        #expect(nextCheck(later, pending: nil, [open]) == now)
        #expect(nextCheck(later, pending: sooner, []) == later)
        var withoutReminders = study
        withoutReminders.reminder = nil
        #expect(withoutReminders.nextCheck(nil, pending: sooner, occasions: [open], at: now) == nil)
    }
}
