import Foundation
import SaunterCore
import Testing

@testable import SaunterCohort

@Suite("Simulation")
struct SimulationTests {
    @Test(arguments: [1, 2, 5])
    func `the same seed gives the same report for any number of workers`(workers: Int) async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 12)
        func text(_ workers: Int, seed: UInt64) async throws -> String {
            try await SimulationSample.simulation(
                study, participants: 250, behaviour: Behaviour(), recruiting: 9, seed: seed
            )
            .run(workers: workers).json.text
        }

        let first = try await text(1, seed: 7)

        #expect(try await text(workers, seed: 7) == first)
        #expect(try await text(workers, seed: 8) != first)
    }

    /// The number of answered occasions is between the 0.0005 and 0.9995 quantiles of Binomial(n, p), for n independent
    /// occasions.
    @Test(arguments: [0.05, 0.3, 0.5, 0.8, 0.97])
    func `the share of answered occasions is the adherence of the behaviour`(adherence: Double) async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = adherence
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 10)

        let figures = try await SimulationSample.simulation(study, participants: 200, behaviour: behaviour)
            .run(
                workers: 2
            )
            .total

        #expect((1990...2000).contains(figures.settled), "\(figures.settled)")
        let bounds = Self.binomialBounds(figures.settled, adherence, tail: 0.0005)
        #expect(
            bounds.contains(figures.completed), "\(figures.completed) of \(figures.settled), not in \(bounds)"
        )
    }

    @Test(arguments: [0.1, 0.4])
    func `the share of late answers is the late share of the behaviour`(late: Double) async throws {
        var behaviour = SimulationSample.steady
        behaviour.late = late
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 10)

        let figures = try await SimulationSample.simulation(study, participants: 200, behaviour: behaviour)
            .run(
                workers: 2
            )
            .total

        #expect(figures.completed == figures.settled)
        let bounds = Self.binomialBounds(figures.settled, late, tail: 0.0005)
        #expect(bounds.contains(figures.completed - figures.onTime), "\(figures.completed - figures.onTime)")
    }

    @Test func `participants differ by the spread, and the mean does not change`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = 0.6
        behaviour.spread = 0.3
        let study = try SimulationSample.study([SimulationSample.evenings(days: 60)], days: 60)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 300, behaviour: behaviour))

        let shares = participants.map(\.course.propensity)
        #expect(shares.allSatisfy { (0.3...0.9).contains($0) })
        #expect((shares.max() ?? 0) > 0.85 && (shares.min() ?? 1) < 0.35)
        // The mean of 300 uniform draws of width 0.6 has a standard deviation of 0.01; that of 18,000 occasions is
        // 0.004.
        let adherence = Double(report.total.completed) / Double(report.total.settled)
        #expect(abs(adherence - 0.6) < 0.05, "\(adherence)")
        #expect((report.adherence(quantile: 90) ?? 0) > (report.adherence(quantile: 10) ?? 0) + 35)
    }

    @Test func `a participant who stops answering still has occasions and gets reminders`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.dropout = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 60, behaviour: behaviour))

        #expect(report.total.stoppedAnswering == 60 && report.total.left == 0)
        for participant in participants {
            let stopsAnsweringAt = try #require(participant.course.stopsAnsweringAt)
            #expect(participant.occasions.allSatisfy { $0.completedAt.map { $0 < stopsAnsweringAt } ?? true })
            let after = participant.occasions.filter { $0.window.openAt > stopsAnsweringAt }
            #expect(after.allSatisfy { $0.state(at: participant.until) == .missed })
            #expect(
                participant.reminders.filter { $0.at > stopsAnsweringAt.adding(seconds: 86_400) }.count
                    >= after
                    .count - 2)
        }
        #expect((20...80).contains(report.total.completed * 100 / report.total.settled))
    }

    @Test func `a participant who leaves gets no more occasions, and the rest of the plan is not counted`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.withdrawal = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 60, behaviour: behaviour))

        #expect(report.total.left == 60)
        #expect(report.total.completed == report.total.settled)
        for participant in participants {
            let leavesAt = try #require(participant.course.leavesAt)
            #expect(
                participant.occasions.filter { $0.window.openAt > leavesAt }.allSatisfy {
                    $0.exclusion == .withdrawn
                }
            )
            #expect(participant.reminders.allSatisfy { $0.at < leavesAt })
        }
    }

    @Test func `a journey moves only the windows that open during it`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.travel = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 40)], days: 40)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 40, behaviour: behaviour))

        #expect(report.travellers == 40)
        var abroad = 0
        for participant in participants {
            let first = try #require(participant.course.journeys.first)
            for occasion in participant.occasions {
                let local = occasion.zone.local(of: occasion.window.openAt)
                #expect(local.time == LocalTime(hour: 18, minute: 0))
                // On the day of departure to the east, a moved window can open before the journey begins.
                if occasion.localDate < participant.course.home.local(of: first.from).date {
                    #expect(occasion.zone == participant.course.home)
                }
                if occasion.zone == first.zone { abroad += 1 }
            }
        }
        #expect(abroad >= 40 * 2)
    }

    @Test func `a break has no occasions, and excluded occasions are not counted`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.pause = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 30)], days: 30)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 40, behaviour: behaviour))

        #expect(report.pausing == 40)
        #expect(participants.flatMap(\.occasions).contains { $0.exclusion == .paused })
        for participant in participants {
            let pause = try #require(participant.course.pauses.first)
            #expect(!participant.reminders.contains { $0.at >= pause.from && $0.at < pause.to ?? .maximum })
            #expect(
                !participant.occasions.contains { occasion in
                    occasion.completedAt.map { $0 >= pause.from && $0 < pause.to ?? .maximum } ?? false
                })
        }
    }

    @Test
    func `sheets of a period without network arrive at its end, and reminders announce answered occasions`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.offline = 0.5
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 40, behaviour: behaviour))

        #expect(report.total.completed == report.total.settled)
        #expect(report.delayedSheets > 40 && report.announcedAfterAnswer > 0)
        for participant in participants {
            for occasion in participant.occasions {
                let at = try #require(occasion.completedAt)
                let period = participant.course.offlinePeriods.first { $0.contains(at) }
                #expect(participant.receivedAt[occasion.id] == period?.upperBound ?? at)
            }
        }
    }

    @Test
    func
        `an occasion after a delayed walk is planned when the walk arrives, and missed if it is already closed`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.offline = 0.5
        behaviour.walksPerDay = 2
        let after = Schedule(
            id: "after", questionnaire: "after", anchor: .walk, recurrence: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 600), dueAfter: 4 * 3600, closeAfter: 12 * 3600)])
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20), after], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 40, behaviour: behaviour))

        var late = 0
        var missed = 0
        for participant in participants {
            for walk in participant.course.walks {
                let following = participant.occasions.filter {
                    $0.key.schedule == "after" && $0.window.openAt == walk.adding(seconds: 600)
                }
                let receivedAt = participant.course.receiptTime(of: walk)
                let isClosed = walk.adding(seconds: 600 + 12 * 3600) <= receivedAt
                // Walks near the end of the study have no occasion.
                #expect(following.count <= 1)
                for occasion in following where receivedAt > walk {
                    #expect(participant.plannedAt[occasion.id] == receivedAt)
                    if isClosed {
                        missed += 1
                        #expect(occasion.state(at: participant.until) == .missed)
                    } else {
                        late += 1
                        #expect(occasion.completedAt.map { $0 >= receivedAt } ?? true)
                    }
                }
            }
        }
        #expect(late > 40 && missed > 40)
        #expect(report.delayedWalks >= late + missed)
    }

    @Test func `journeys, breaks and events of a period without network are reported when it ends`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.offline = 1
        behaviour.travel = 1
        behaviour.pause = 1
        behaviour.event = 1
        var study = try SimulationSample.study([SimulationSample.evenings(days: 30)], days: 30)
        study.events = [StudyEvent(code: "home", update: .mutable)]

        let participants = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 60, behaviour: behaviour)
        ).participants

        let reported = participants.flatMap { participant -> [(ParticipantCourse, Instant)] in
            let course = participant.course
            var moments = course.journeys.map(\.from) + course.events.map { $0.at }
            moments += course.pauses.flatMap { [$0.from, $0.to ?? $0.from] }
            return moments.map { (course, $0) }
        }
        #expect(reported.count > 200)
        #expect(reported.allSatisfy { course, moment in course.receiptTime(of: moment) == moment })
        // Many of them are exactly at the end of a period without network, which would not happen by chance.
        #expect(
            reported.count { course, moment in course.offlinePeriods.contains { $0.upperBound == moment } }
                > 60)
        #expect(
            participants.allSatisfy { participant in
                participant.course.pauses.allSatisfy { $0.from < $0.to ?? .maximum }
            })
    }

    @Test func `a message at the time of an answer is sent before the sheet arrives`() async throws {
        var study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)
        study.schedules[0].reminders = [.atOpen]
        study.reminder?.at = nil

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 50))

        let asked = participants.flatMap { participant in
            participant.occasions.filter { $0.isCounted && $0.window.openAt >= participant.course.joinedAt }
        }
        // Because of the quadratic delay, some participants answer within the first second.
        #expect(asked.contains { $0.completedAt == $0.window.openAt })
        #expect(report.total.reminders == asked.count && asked.count > 900)
        #expect(report.announcedAfterAnswer == 0)
    }

    @Test func `a participant who has answered before the time of the mail gets no mail`() async throws {
        // The mail is sent at 18:30. Because of the quadratic delay, half of the sheets of the two hours have arrived
        // by then.
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 50))

        var expected = 0
        for participant in participants {
            for occasion in participant.occasions {
                let mailAt = occasion.window.openAt.adding(seconds: 1800)
                if participant.course.joinedAt < mailAt, try #require(occasion.completedAt) >= mailAt {
                    expected += 1
                }
            }
        }
        #expect(report.total.reminders == expected)
        #expect((400...600).contains(expected))
    }

    @Test(arguments: [
        Anchor.completion(questionnaire: "evening"), .completionOfAny(["other", "evening"]),
    ])
    func `only participants who answered have an occasion after the sheet`(_ anchor: Anchor) async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = 0.5
        let after = try SimulationSample.evenings(days: 1, anchor: anchor, id: "after")
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10), after], days: 12)

        let (participants, _) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 30, behaviour: behaviour))

        for participant in participants {
            let answered = participant.occasions.filter { $0.questionnaire == "evening" && $0.isAnswered }
            let followUps = participant.occasions.filter { $0.questionnaire == "after" }
            #expect(Set(followUps.map(\.key.anchorInstance)) == Set(answered.map(\.id.description)))
        }
    }

    @Test func `arms have the ratio of the study in every block`() async throws {
        let arms = [Arm(code: "a", ratio: 2), Arm(code: "b", ratio: 1)]
        let study = try SimulationSample.study([SimulationSample.evenings(days: 2)], days: 2, arms: arms)

        let report = try await SimulationSample.simulation(study, participants: 300, recruiting: 30).run(
            workers: 2)

        #expect(report.arms.map(\.figures.participants) == [200, 100])
        #expect(report.cells.map(\.asked) == [200, 100])
    }

    @Test(arguments: Allocation.Method.allCases)
    func `participants are assigned to arms by the rule of the study`(method: Allocation.Method) async throws
    {
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 2)], days: 2,
            arms: [Arm(code: "a", ratio: 1), Arm(code: "b", ratio: 1)])
        study.allocation = Allocation(
            method: method, blockSizes: [2], isConcealed: false,
            factors: [Allocation.Factor(code: "place", levels: ["north", "south"])], probability: 0.9)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 200, recruiting: 3))

        // With independent draws, 100 ± 7.1 of 200 participants are in an arm. The other methods are more balanced.
        let counts = report.arms.map(\.figures.participants)
        #expect(counts.reduce(0, +) == 200 && counts.allSatisfy { (65...135).contains($0) }, "\(counts)")
        for level in ["north", "south"] {
            let stratum = participants.filter { $0.course.factors.entries.map(\.level) == [level] }
            #expect((65...135).contains(stratum.count))
            guard study.allocation.usesFactors else { continue }
            let difference = stratum.count { $0.arm == "a" } - stratum.count { $0.arm == "b" }
            #expect(abs(difference) <= (method == .minimisation ? 6 : 1), "\(difference)")
        }
    }

    @Test func `the last day of the study is a day of every participant`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 6)], days: 5)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 20))

        // Days 0 to 5.
        #expect(report.total.participantDays == 20 * 6)
        #expect(report.studyDays.prefix(6).allSatisfy { $0.enrolled == 20 })
        #expect(
            participants.allSatisfy { participant in participant.occasions.contains { $0.key.dayIndex == 5 } }
        )
    }

    @Test func `a run that ends early reports the states at its end`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 20, days: 5))

        #expect(
            participants.allSatisfy { participant in
                participant.occasions.allSatisfy { $0.window.openAt < participant.until }
            })
        // Days 0 to 4 of every participant. A participant who joins in the last hours of a window may miss the first
        // one.
        #expect((95...100).contains(report.total.settled))
        #expect(report.total.participantDays == 100)
    }

    @Test func `participants take part until the last day of the study, including that day`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 5)], days: 4)

        let report = try await SimulationSample.simulation(study, participants: 20).run(workers: 1)

        // Days 0 to 4 of every participant, with three minutes on each day.
        #expect(report.total.participantDays == 100)
        #expect(report.studyDays.map(\.enrolled) == [20, 20, 20, 20, 20])
        #expect(Burden(of: study).minutesPerDay(arm: "all") == 3)
    }

    @Test func `sheets without an occasion do not exceed the daily limit of the study`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.unscheduledPerDay = 6
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 5)], days: 5, anyTime: ["note"])
        study.anyTime = [AnyTimeRule(questionnaire: "note", maximumPerDay: 2)]

        let (participants, report) = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 20, behaviour: behaviour))

        #expect(report.total.unscheduled > 150)
        for participant in participants {
            let byDate = Dictionary(grouping: participant.unscheduled) {
                participant.course.zone(at: $0.at).local(of: $0.at).date
            }
            #expect(byDate.values.allSatisfy { $0.count <= 2 })
        }
    }

    @Test func `simulated participants leave out what needs an entitlement`() async throws {
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 5)], days: 5, anyTime: ["note"])
        study.entitlements = [Entitlement(code: "premium")]
        study.anyTime = [AnyTimeRule(questionnaire: "note", entitlement: "premium")]

        let report = try await SimulationSample.run(
            SimulationSample.simulation(study, participants: 20)
        ).report

        #expect(report.total.unscheduled == 0)
    }

    /// The counts from the first count whose lower tail is at least `tail` to the last count whose upper tail is at
    /// least `tail`.
    static func binomialBounds(_ count: Int, _ share: Double, tail: Double) -> ClosedRange<Int> {
        func term(_ k: Int) -> Double {
            exp(
                lgamma(Double(count + 1)) - lgamma(Double(k + 1)) - lgamma(Double(count - k + 1)) + Double(k)
                    * log(share) + Double(count - k) * log1p(-share))
        }
        var low = 0
        var sum = term(0)
        while sum < tail {
            low += 1
            sum += term(low)
        }
        var high = count
        sum = term(count)
        while sum < tail {
            high -= 1
            sum += term(high)
        }
        return low...high
    }
}
