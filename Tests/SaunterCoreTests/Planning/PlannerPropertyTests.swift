import Testing

@testable import SaunterCore

@Suite("Planner, properties")
struct PlannerPropertyTests {
    private func random(_ cases: inout SeededCases) throws -> Schedule {
        let count = Int.random(in: 1...6, using: &cases)
        let gap = Int.random(in: 20...60, using: &cases) * 60
        let from = try #require(LocalTime(seconds: Int.random(in: 0..<1440, using: &cases) * 60))
        let span = (count - 1) * gap + Int.random(in: 1...240, using: &cases) * 60
        let to = try #require(LocalTime(seconds: (from.seconds + span) % 86_400))
        let close = Int.random(in: 10...gap / 60, using: &cases) * 60
        return Sample.schedule(
            repeating: .every(days: Int.random(in: 1...3, using: &cases), untilDay: 40),
            slots: [
                Slot(
                    opening: .random(from: from, to: to, count: count, minimumGap: gap), dueAfter: close / 2,
                    closeAfter: close)
            ])
    }

    /// All zones, around a date on which many of them have a transition.
    @Test func `random windows are ordered, do not overlap and are inside their span, in every zone`() throws
    {
        var cases = SeededCases(2)
        for id in Zone.identifiers.sorted() {
            let zone = try zone(id)
            let schedule = try random(&cases)
            let start = [20_522, 20_731][Int.random(in: 0...1, using: &cases)]
            let enrolledAt = zone.startOfDay(LocalDate(days: start))
            let planner = Sample.planner(
                Sample.study([schedule], days: 30), enrolledAt: enrolledAt,
                zones: [ZoneChange(from: enrolledAt, zone: zone)])

            let occasions = planner.occasions(from: .minimum, through: .maximum)

            #expect(!occasions.isEmpty)
            for occasion in occasions {
                let window = occasion.window
                #expect(
                    window.visibleAt <= window.openAt && window.openAt <= window.dueAt,
                    "\(id) \(occasion.key)")
                #expect(
                    window.dueAt <= window.closeAt && window.openAt < window.closeAt, "\(id) \(occasion.key)")
                let nominal = Int64(schedule.slots[0].closeAfter) * 1000
                if !occasion.isDSTAdjusted {
                    #expect(
                        window.closeAt.milliseconds(since: window.openAt) == nominal, "\(id) \(occasion.key)")
                }
            }
            for (left, right) in zip(occasions, occasions.dropFirst()) {
                #expect(left.window.closeAt <= right.window.openAt, "\(id) \(left.key) \(right.key)")
            }
        }
    }

    /// Two schedules with the same questionnaire, alternating every half hour, around each transition of a year.
    @Test func `adjacent windows of two schedules never overlap, in every zone`() throws {
        let year = (20_454..<20_454 + 365).map(LocalDate.init(days:))
        var changes = 0
        for id in Zone.identifiers.sorted() {
            let zone = try zone(id)
            let schedules = try [0, 30].map { minute in
                Sample.schedule(
                    "at_\(minute)", repeating: .every(days: 1, untilDay: 2),
                    slots: try (0..<24).map {
                        try Sample.slot(
                            "\($0 < 10 ? "0" : "")\($0):\(minute == 0 ? "00" : "30")", due: 60, close: 1800)
                    })
            }
            for date in year
            where zone.startOfDay(date.adding(days: 1)).milliseconds(since: zone.startOfDay(date))
                > 86_400_000
            {
                changes += 1
                let enrolledAt = zone.startOfDay(date.adding(days: -1))
                let planner = Sample.planner(
                    Sample.study(schedules), enrolledAt: enrolledAt,
                    zones: [ZoneChange(from: enrolledAt, zone: zone)])

                let occasions = planner.occasions(from: .minimum, through: .maximum)

                #expect(occasions.count == 3 * 48, "\(id)")
                for (left, right) in zip(occasions, occasions.dropFirst()) {
                    #expect(left.window.closeAt <= right.window.openAt, "\(id) \(left.key) \(right.key)")
                }
            }
        }
        #expect(changes > 100, "many zone changes are covered")
    }

    @Test func `the same seed returns the same plan for any range of dates`() throws {
        var cases = SeededCases(3)
        let berlin = ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))
        for _ in 0..<20 {
            let schedule = try random(&cases)
            let planner = Sample.planner(
                Sample.study([schedule], days: 40), enrolledAt: try at("2026-03-01T00:00:00Z"),
                zones: [berlin])

            let whole = planner.occasions(from: .minimum, through: .maximum)
            let pieces = (0...40).flatMap { offset in
                let date = planner.enrolmentDate.adding(days: offset)
                return planner.occasions(from: date, through: date)
            }

            #expect(pieces.sorted { $0.id < $1.id } == whole.sorted { $0.id < $1.id })
        }
    }

    @Test func `another seed, participant or day has other random moments`() throws {
        let slot = Slot(
            opening: .random(from: try time("09:00"), to: try time("21:00"), count: 5, minimumGap: hour),
            dueAfter: 600, closeAfter: 900)
        let study = Sample.study([Sample.schedule(slots: [slot])])
        var input = Sample.planner(study, enrolledAt: try at("2026-05-01T00:00:00Z"), zones: []).input
        func moments(_ input: PlanInput, day index: Int = 0) -> [Int] {
            let planner = Planner(input)
            let date = planner.enrolmentDate.adding(days: index)
            return planner.occasions(from: date, through: date).map { Int($0.window.openAt.seconds % 86_400) }
        }
        let first = moments(input)

        #expect(first.count == 5)
        #expect(moments(input, day: 1) != first)
        input.seed[0] ^= 1
        #expect(moments(input) != first)
    }

    @Test func `random moments reach both ends and are uniformly distributed`() throws {
        let slot = Slot(
            opening: .random(from: try time("10:00"), to: try time("11:00"), count: 1, minimumGap: 0),
            dueAfter: 60,
            closeAfter: 60)
        let schedule = Sample.schedule(repeating: .every(days: 1, untilDay: 1999), slots: [slot])
        let planner = Sample.planner(
            Sample.study([schedule], days: 2000), enrolledAt: try at("2026-01-01T00:00:00Z"), zones: [])

        let minutes = planner.occasions(from: .minimum, through: .maximum).map { occasion -> Int in
            (Int(occasion.window.openAt.seconds % 86_400) - 36_000) / 60
        }

        #expect(minutes.count == 2000)
        #expect(minutes.allSatisfy { (0...60).contains($0) })
        // Six bins of 333 ± 17; five standard deviations.
        for bin in 0..<6 {
            let count = minutes.filter { $0 / 10 == bin || ($0 == 60 && bin == 5) }.count
            #expect((248...418).contains(count), "bin \(bin): \(count)")
        }
    }

    @Test func `ids do not change with times, zones or versions`() throws {
        var cases = SeededCases(4)
        let identifiers = Zone.identifiers.sorted()
        for _ in 0..<30 {
            let enrolledAt = try at("2026-05-01T00:30:00Z")
            let open = try #require(LocalTime(seconds: Int.random(in: 0..<1440, using: &cases) * 60))
            let before = Sample.study([
                Sample.schedule(slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)])
            ])
            var after = Sample.study([
                Sample.schedule(slots: [Slot(opening: .fixed(open), dueAfter: 600, closeAfter: 1200)])
            ])
            after.version = "2.0.0"
            let home = ZoneChange(from: .minimum, zone: .utc)
            let away = ZoneChange(
                from: enrolledAt.adding(seconds: 86_400 * 3),
                zone: try zone(try #require(identifiers.randomElement(using: &cases))))

            let old = Sample.planner(before, enrolledAt: enrolledAt, zones: [home])
            let new = Sample.planner(after, enrolledAt: enrolledAt, zones: [home, away])

            let ids = Set(old.occasions(from: .minimum, through: .maximum).map(\.id))
            let moved = Set(new.occasions(from: .minimum, through: .maximum).map(\.id))
            // If the first day is over at the enrolment, only one of the plans has it.
            #expect(ids.symmetricDifference(moved).count <= 1)
            #expect(ids.count >= 27)
        }
    }

    @Test func `hostile definitions do not trap and are processed quickly`() throws {
        let numbers = [Int.min, -1, 0, 1, 86_400, Int.max]
        var cases = SeededCases(5)
        for _ in 0..<200 {
            func number() -> Int { numbers.randomElement(using: &cases) ?? 0 }
            let openings: [Opening] = [
                .fixed(.midnight), .afterAnchor(seconds: number()),
                .random(from: .midnight, to: .midnight, count: number(), minimumGap: number()),
            ]
            let slot = Slot(
                opening: openings.randomElement(using: &cases) ?? .fixed(.midnight), dueAfter: number(),
                closeAfter: number(), visibleBefore: number())
            let recurrences: [Recurrence] = [
                .every(days: number(), untilDay: number()),
                .weekly(weekdays: [number()], weeks: number(), untilDay: number()),
                .monthly(days: [number()], untilDay: number()),
                .cycle(length: number(), dayOffsets: [number()], untilDay: number()),
            ]
            let anchors: [Anchor] = [.enrolment, .studyDate(.maximum), .phase("p"), .event("home")]
            var schedule = Sample.schedule(
                anchor: anchors.randomElement(using: &cases) ?? .enrolment, offset: number(),
                repeating: recurrences.randomElement(using: &cases) ?? .once, slots: [slot])
            schedule.count = Bool.random(using: &cases) ? number() : nil
            schedule.phase = Bool.random(using: &cases) ? "p" : nil
            schedule.maxPerDay = number()
            var study = Sample.study(
                [schedule], days: [0, 10, Int.max, Int.min].randomElement(using: &cases) ?? 0)

            let ends: [PhaseEnd] = [.day(number()), .length(days: number()), .event("home"), .studyEnd]
            study.phases = [
                Phase(
                    code: "p", start: Bool.random(using: &cases) ? .day(number()) : .event("home"),
                    end: ends.randomElement(using: &cases) ?? .studyEnd)
            ]
            study.anyTime = [AnyTimeRule(questionnaire: "evening", maximumPerDay: number())]

            let planner = Sample.planner(
                study, enrolledAt: .maximum.adding(seconds: -86_400 * 20), zones: [],
                anchors: [.event("home", at: Bool.random(using: &cases) ? .minimum : .maximum)])

            _ = planner.occasions(from: .minimum, through: .maximum)
            _ = planner.plannedThrough(.minimum)
            _ = planner.notApplicable
            _ = Burden(of: study).minutesPerDay(arm: nil, phase: "p")
            _ = planner.horizon(from: .minimum, days: Int.max)
            _ = study.faults()
            _ = Burden(of: study).minutesPerDay(arm: nil)
        }
    }
}
