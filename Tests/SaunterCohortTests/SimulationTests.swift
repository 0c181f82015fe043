import Foundation
import SaunterCore
import Testing

@testable import SaunterCohort

@Suite("Simulation")
struct SimulationTests {
    @Test(arguments: [1, 2, 5])
    func `the same seed gives the same report, by however many workers`(workers: Int) async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 12)
        func text(_ workers: Int, seed: UInt64) async throws -> String {
            try await SimulationSample.simulation(
                study, people: 600, behaviour: Behaviour(), recruiting: 9, seed: seed
            )
            .run(workers: workers).json.text
        }

        let first = try await text(1, seed: 7)

        #expect(try await text(workers, seed: 7) == first)
        #expect(try await text(workers, seed: 8) != first)
    }

    /// Exact: of n independent occasions as many as lie between the 0.0005 and 0.9995 quantiles of Binomial(n, p).
    @Test(arguments: [0.05, 0.3, 0.5, 0.8, 0.97])
    func `so many occasions are answered as was asked for`(adherence: Double) async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = adherence
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 10)

        let figures = try await SimulationSample.simulation(study, people: 200, behaviour: behaviour).run(
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
    func `so many of the answered ones are late as was asked for`(late: Double) async throws {
        var behaviour = SimulationSample.steady
        behaviour.late = late
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10)], days: 10)

        let figures = try await SimulationSample.simulation(study, people: 200, behaviour: behaviour).run(
            workers: 2
        )
        .total

        #expect(figures.completed == figures.settled)
        let bounds = Self.binomialBounds(figures.settled, late, tail: 0.0005)
        #expect(bounds.contains(figures.completed - figures.onTime), "\(figures.completed - figures.onTime)")
    }

    @Test func `people differ by the spread, and their mean stays`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = 0.6
        behaviour.spread = 0.3
        let study = try SimulationSample.study([SimulationSample.evenings(days: 60)], days: 60)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 300, behaviour: behaviour))

        let shares = lives.map(\.course.propensity)
        #expect(shares.allSatisfy { (0.3...0.9).contains($0) })
        #expect((shares.max() ?? 0) > 0.85 && (shares.min() ?? 1) < 0.35)
        // Mean of 300 even draws of width 0.6: deviation 0.01; that of 18,000 occasions is 0.004.
        let adherence = Double(report.total.completed) / Double(report.total.settled)
        #expect(abs(adherence - 0.6) < 0.05, "\(adherence)")
        #expect((report.adherence(quantile: 90) ?? 0) > (report.adherence(quantile: 10) ?? 0) + 35)
    }

    @Test func `whoever falls silent answers nothing from then on, but is still asked and reminded`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.dropout = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 60, behaviour: behaviour))

        #expect(report.total.silent == 60 && report.total.left == 0)
        for life in lives {
            let silentFrom = try #require(life.course.silentFrom)
            #expect(life.occasions.allSatisfy { $0.completedAt.map { $0 < silentFrom } ?? true })
            let after = life.occasions.filter { $0.window.openAt > silentFrom }
            #expect(after.allSatisfy { $0.state(at: life.until) == .missed })
            #expect(
                life.reminders.filter { $0.at > silentFrom.adding(seconds: 86_400) }.count >= after.count - 2)
        }
        #expect((20...80).contains(report.total.completed * 100 / report.total.settled))
    }

    @Test func `whoever leaves is asked nothing more, and what is left of the plan counts nowhere`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.withdrawal = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 60, behaviour: behaviour))

        #expect(report.total.left == 60)
        #expect(report.total.completed == report.total.settled)
        for life in lives {
            let leavesAt = try #require(life.course.leavesAt)
            #expect(
                life.occasions.filter { $0.window.openAt > leavesAt }.allSatisfy { $0.setAside == .withdrawn }
            )
            #expect(life.reminders.allSatisfy { $0.at < leavesAt })
        }
    }

    @Test func `a journey moves the windows that open on it, and no others`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.travel = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 40)], days: 40)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 40, behaviour: behaviour))

        #expect(report.travellers == 40)
        var abroad = 0
        for life in lives {
            let first = try #require(life.course.journeys.first)
            for occasion in life.occasions {
                let local = occasion.zone.local(of: occasion.window.openAt)
                #expect(local.time == LocalTime(hour: 18, minute: 0))
                // On the day itself a window that moves east may open before the journey begins.
                if occasion.localDate < life.course.home.local(of: first.from).date {
                    #expect(occasion.zone == life.course.home)
                }
                if occasion.zone == first.zone { abroad += 1 }
            }
        }
        #expect(abroad >= 40 * 2)
    }

    @Test func `a break asks nothing, and what it covers counts nowhere`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.pause = 1
        let study = try SimulationSample.study([SimulationSample.evenings(days: 30)], days: 30)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 40, behaviour: behaviour))

        #expect(report.pausing == 40)
        #expect(lives.flatMap(\.occasions).contains { $0.setAside == .paused })
        for life in lives {
            let pause = try #require(life.course.pauses.first)
            #expect(!life.reminders.contains { $0.at >= pause.from && $0.at < pause.to ?? .maximum })
            #expect(
                !life.occasions.contains { occasion in
                    occasion.completedAt.map { $0 >= pause.from && $0 < pause.to ?? .maximum } ?? false
                })
        }
    }

    @Test func `sheets of a spell without network come in when it ends, and are reminded of in vain`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.offline = 0.5
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 40, behaviour: behaviour))

        #expect(report.total.completed == report.total.settled)
        #expect(report.keptBack > 40 && report.remindedInVain > 0)
        for life in lives {
            for occasion in life.occasions {
                let at = try #require(occasion.completedAt)
                let spell = life.course.spells.first { $0.contains(at) }
                #expect(life.receivedAt[occasion.id] == spell?.upperBound ?? at)
            }
        }
    }

    @Test
    func
        `what follows a walk that was kept back is planned when it comes in, and missed if it is over by then`()
        async throws
    {
        var behaviour = SimulationSample.steady
        behaviour.offline = 0.5
        behaviour.walksPerDay = 2
        let after = Schedule(
            id: "after", questionnaire: "after", anchor: .walk, recurrence: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 600), dueAfter: 4 * 3600, closeAfter: 12 * 3600)])
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20), after], days: 20)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 40, behaviour: behaviour))

        var late = 0
        var lost = 0
        for life in lives {
            for walk in life.course.walks {
                let following = life.occasions.filter {
                    $0.key.schedule == "after" && $0.window.openAt == walk.adding(seconds: 600)
                }
                let known = life.course.received(walk)
                let isOver = walk.adding(seconds: 600 + 12 * 3600) <= known
                // Walks near the end of the study are asked about no more.
                #expect(following.count <= 1)
                for occasion in following where known > walk {
                    #expect(life.plannedAt[occasion.id] == known)
                    if isOver {
                        lost += 1
                        #expect(occasion.state(at: life.until) == .missed)
                    } else {
                        late += 1
                        #expect(occasion.completedAt.map { $0 >= known } ?? true)
                    }
                }
            }
        }
        #expect(late > 40 && lost > 40)
        #expect(report.walksKeptBack >= late + lost)
    }

    @Test func `journeys, breaks and events of a spell without network are told when it ends`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.offline = 1
        behaviour.travel = 1
        behaviour.pause = 1
        behaviour.event = 1
        var study = try SimulationSample.study([SimulationSample.evenings(days: 30)], days: 30)
        study.events = [StudyEvent(code: "home", update: .mutable)]

        let lives = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 60, behaviour: behaviour)
        ).lives

        let told = lives.flatMap { life -> [(LifeCourse, Instant)] in
            let course = life.course
            var moments = course.journeys.map(\.from) + course.events.map { $0.at }
            moments += course.pauses.flatMap { [$0.from, $0.to ?? $0.from] }
            return moments.map { (course, $0) }
        }
        #expect(told.count > 200)
        #expect(told.allSatisfy { course, moment in course.received(moment) == moment })
        // More of them than chance would have fall on the very end of a spell.
        #expect(told.count { course, moment in course.spells.contains { $0.upperBound == moment } } > 60)
        #expect(lives.allSatisfy { life in life.course.pauses.allSatisfy { $0.from < $0.to ?? .maximum } })
    }

    @Test func `a message of the moment at which somebody answers goes out before the sheet`() async throws {
        var study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)
        study.schedules[0].prompts = [.atOpen]
        study.reminder?.at = nil

        let (lives, report) = try await SimulationSample.lives(SimulationSample.simulation(study, people: 50))

        let asked = lives.flatMap { life in
            life.occasions.filter { $0.isAsked && $0.window.openAt >= life.course.joinedAt }
        }
        // By the quadratic delay some answer within the second.
        #expect(asked.contains { $0.completedAt == $0.window.openAt })
        #expect(report.total.reminders == asked.count && asked.count > 900)
        #expect(report.remindedInVain == 0)
    }

    @Test func `who has answered before the hour of the mail gets none`() async throws {
        // The mail goes out at half past six; by the quadratic delay half of the sheets of two hours are in by then.
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (lives, report) = try await SimulationSample.lives(SimulationSample.simulation(study, people: 50))

        var expected = 0
        for life in lives {
            for occasion in life.occasions {
                let hour = occasion.window.openAt.adding(seconds: 1800)
                if life.course.joinedAt < hour, try #require(occasion.completedAt) >= hour { expected += 1 }
            }
        }
        #expect(report.total.reminders == expected)
        #expect((400...600).contains(expected))
    }

    @Test func `what follows a sheet is asked only of those who answered`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.adherence = 0.5
        let after = try SimulationSample.evenings(
            days: 1, anchor: .completion(questionnaire: "evening"), id: "after")
        let study = try SimulationSample.study([SimulationSample.evenings(days: 10), after], days: 12)

        let (lives, _) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 30, behaviour: behaviour))

        for life in lives {
            let answered = life.occasions.filter { $0.questionnaire == "evening" && $0.isAnswered }
            let follow = life.occasions.filter { $0.questionnaire == "after" }
            #expect(Set(follow.map(\.key.anchorInstance)) == Set(answered.map(\.id.description)))
        }
    }

    @Test func `arms follow the study's ratio, block by block`() async throws {
        let arms = [Arm(code: "a", ratio: 2), Arm(code: "b", ratio: 1)]
        let study = try SimulationSample.study([SimulationSample.evenings(days: 2)], days: 2, arms: arms)

        let report = try await SimulationSample.simulation(study, people: 300, recruiting: 30).run(workers: 2)

        #expect(report.arms.map(\.figures.people) == [200, 100])
        #expect(report.cells.map(\.asked) == [200, 100])
    }

    @Test(arguments: Allocation.Method.allCases)
    func `people come to their arms by the study's own rule`(method: Allocation.Method) async throws {
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 2)], days: 2,
            arms: [Arm(code: "a", ratio: 1), Arm(code: "b", ratio: 1)])
        study.allocation = Allocation(
            method: method, blockSizes: [2], concealed: false,
            factors: [Allocation.Factor(code: "place", levels: ["north", "south"])], probability: 0.9)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 200, recruiting: 3))

        // By draws of their own 100 ± 7.1 of two hundred come to an arm; the others are evener.
        let people = report.arms.map(\.figures.people)
        #expect(people.reduce(0, +) == 200 && people.allSatisfy { (65...135).contains($0) }, "\(people)")
        for level in ["north", "south"] {
            let here = lives.filter { $0.course.factors.entries.map(\.level) == [level] }
            #expect((65...135).contains(here.count))
            guard study.allocation.usesFactors else { continue }
            let more = here.count { $0.arm == "a" } - here.count { $0.arm == "b" }
            #expect(abs(more) <= (method == .minimisation ? 6 : 1), "\(more)")
        }
    }

    @Test func `the last day of the study is one of everybody's days`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 6)], days: 5)

        let (lives, report) = try await SimulationSample.lives(SimulationSample.simulation(study, people: 20))

        // Days 0 to 5.
        #expect(report.total.personDays == 20 * 6)
        #expect(report.studyDays.prefix(6).allSatisfy { $0.enrolled == 20 })
        #expect(lives.allSatisfy { life in life.occasions.contains { $0.key.dayIndex == 5 } })
    }

    @Test func `a run that ends early looks back from its end`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 20)], days: 20)

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 20, days: 5))

        #expect(lives.allSatisfy { life in life.occasions.allSatisfy { $0.window.openAt < life.until } })
        // The days 0 to 4 of everybody; who joins in the last hours of an evening's window may miss the first.
        #expect((95...100).contains(report.total.settled))
        #expect(report.total.personDays == 100)
    }

    @Test func `people take part up to the study's last day, that one included`() async throws {
        let study = try SimulationSample.study([SimulationSample.evenings(days: 5)], days: 4)

        let report = try await SimulationSample.simulation(study, people: 20).run(workers: 1)

        // The days 0 to 4 of everybody, with three minutes on each.
        #expect(report.total.personDays == 100)
        #expect(report.studyDays.map(\.enrolled) == [20, 20, 20, 20, 20])
        #expect(study.burdenMinutesPerDay(arm: "all") == 3)
    }

    @Test func `sheets at any time keep to the study's limit a day`() async throws {
        var behaviour = SimulationSample.steady
        behaviour.unscheduledPerDay = 6
        var study = try SimulationSample.study(
            [SimulationSample.evenings(days: 5)], days: 5, anyTime: ["note"])
        study.anyTimeLimits = ["note": 2]

        let (lives, report) = try await SimulationSample.lives(
            SimulationSample.simulation(study, people: 20, behaviour: behaviour))

        #expect(report.total.unscheduled > 150)
        for life in lives {
            let byDate = Dictionary(grouping: life.unscheduled) {
                life.course.zone(at: $0.at).local(of: $0.at).date
            }
            #expect(byDate.values.allSatisfy { $0.count <= 2 })
        }
    }

    /// The counts from the first whose lower tail is at least `tail` to the last whose upper tail is.
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
