import Testing

@testable import SaunterCore

/// Reminders of what is open although the version that is followed now has left its schedule out.
@Suite struct FormerSchedulesTests {
    /// Open from 10:00 to 14:00, reminded of at 10:00, 11:00 and 13:00, and named in the mail of 12:00.
    private func former() throws -> Schedule {
        var schedule = Sample.schedule(
            "former", slots: [try Sample.slot("10:00", due: 2 * hour, close: 4 * hour)])
        schedule.prompts = [.atOpen, .afterOpen(seconds: hour), .beforeClose(seconds: hour)]
        return schedule
    }

    /// What is followed since 10:30: another schedule, and the same hour of the mail.
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

    private func prompting(_ study: Study) throws -> Prompting {
        Prompting(
            study: study, occasions: [try open()], zone: .utc, enrolledAt: try at("2026-05-01T00:00:00Z"),
            plannedThrough: .maximum, followedFrom: try at("2026-05-04T10:30:00Z"))
    }

    @Test func `what is still to be said of it is said, by mail too, and nothing is made up for`() throws {
        let now = try at("2026-05-04T10:30:00Z")
        let asking = try study().reminding(of: [try former()])

        let ahead = try prompting(asking).ahead(of: now, limit: 9).map { message in
            "\(message.at) \(message.prompts.map(\.key.kind.rawValue))"
        }

        #expect(
            ahead == [
                #"2026-05-04T11:00:00.000Z ["after_open"]"#, #"2026-05-04T12:00:00.000Z ["due_today"]"#,
                #"2026-05-04T13:00:00.000Z ["before_close"]"#,
            ])
        #expect(try prompting(asking).next(at: now) == (try at("2026-05-04T11:00:00Z")))
        #expect(try prompting(asking).decision(at: now, waitedFor: now).send == [])
        #expect(try prompting(study()).ahead(of: now, limit: 9) == [])
    }

    @Test func `a schedule that the version still has goes by its own rules`() throws {
        var own = try former()
        own.prompts = []
        var study = try study()
        study.schedules.append(own)

        #expect(study.reminding(of: [try former()]) == study)
    }

    @Test func `only what can be answered and has no schedule any more is left over`() throws {
        let study = try study()
        let open = try open()
        var answered = open
        answered.completedAt = open.window.openAt
        let known = Sample.occasion(open: open.window.openAt)

        let at = open.window.openAt
        #expect(study.leftUnscheduled([answered, known, open], at: at) == [open])
        #expect(study.leftUnscheduled([open], at: at.adding(milliseconds: -1)) == [])
        #expect(study.leftUnscheduled([open], at: open.window.closeAt) == [])
    }

    @Test func `whoever waits goes on waiting, and where nobody does somebody looks at once`() throws {
        let study = try study()
        let open = try open()
        let now = open.window.openAt
        let (sooner, later) = (now.adding(seconds: 60), now.adding(seconds: 120))
        func look(_ next: Instant?, waiting: Instant?, _ occasions: [Occasion]) -> Instant? {
            study.nextLook(next, waiting: waiting, occasions: occasions, at: now)
        }

        #expect(look(later, waiting: sooner, [open]) == sooner)
        #expect(look(sooner, waiting: later, [open]) == sooner)
        #expect(look(nil, waiting: later, [open]) == later)
        #expect(look(later, waiting: nil, [open]) == now)
        #expect(look(later, waiting: sooner, []) == later)
        var silent = study
        silent.reminder = nil
        #expect(silent.nextLook(nil, waiting: sooner, occasions: [open], at: now) == nil)
    }
}
