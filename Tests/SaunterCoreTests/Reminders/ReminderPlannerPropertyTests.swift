import Foundation
import Testing

@testable import SaunterCore

/// Properties of the messages of every participant, with random studies, zones and worker delays.
@Suite("Reminder planner, random cases")
struct ReminderPlannerPropertyTests {
    struct Simulation {
        var messages: [(at: Instant, reminders: [Reminder])] = []
        var planner: ReminderPlanner
    }

    /// A worker that is sometimes late checks a participant for two weeks. Devices confirm some of the messages.
    private func simulation(_ cases: inout SeededCases) throws -> Simulation {
        let identifiers = Zone.identifiers.sorted()
        let zone = try zone(try #require(identifiers.randomElement(using: &cases)))
        let start = try at("2026-03-20T00:00:00Z").adding(
            seconds: Int.random(in: 0...250, using: &cases) * 86_400)
        func anyTime() throws -> LocalTime {
            try #require(LocalTime(seconds: Int.random(in: 0..<288, using: &cases) * 300))
        }
        var schedule = Sample.schedule(slots: [try Sample.slot("10:00", due: hour, close: 2 * hour)])
        schedule.reminders = [
            .atOpen, .afterOpen(seconds: Int.random(in: 1...60, using: &cases) * 60),
            .beforeDue(seconds: Int.random(in: 0...90, using: &cases) * 60),
            .beforeClose(seconds: Int.random(in: 1...90, using: &cases) * 60),
        ].filter { _ in Bool.random(using: &cases) }
        var study = Sample.study([schedule])
        let rule = ReminderRule(
            at: nil, quietFrom: try anyTime(), quietTo: try anyTime(),
            maximumPerDay: Bool.random(using: &cases) ? Int.random(in: 1...4, using: &cases) : nil,
            resendAfter: Bool.random(using: &cases) ? Int.random(in: 5...240, using: &cases) * 60 : nil)
        study.reminder = rule
        if Bool.random(using: &cases) { study.reminder?.at = rule.quietHours.postponed(try anyTime()) }
        let occasions = (0..<12).map { number in
            let open = start.adding(seconds: Int.random(in: 0...4000, using: &cases) * 300)
            return Sample.occasion(
                number, open: open, due: hour, close: Int.random(in: 2...30, using: &cases) * hour, zone: zone
            )
        }
        var simulation = Simulation(
            planner: ReminderPlanner(
                study: study, occasions: occasions, zone: zone, enrolledAt: start, plannedThrough: .maximum))
        var next = simulation.planner.nextCheck(at: start)
        for _ in 0..<400 {
            guard let scheduledAt = next else { break }
            let isLate = Int.random(in: 0..<8, using: &cases) == 0
            let now = scheduledAt.adding(seconds: isLate ? Int.random(in: 0...40_000, using: &cases) : 0)
            let decision = simulation.planner.decision(at: now, scheduledAt: scheduledAt)
            if let later = decision.next {
                #expect(later > now, "the next check is later than this one")
            }
            let message = MessageID(UUID())
            for (reminders, isDropped) in [(decision.send, false), (decision.drop, true)]
            where !reminders.isEmpty {
                let isConfirmed = Bool.random(using: &cases)
                simulation.planner.records += reminders.map {
                    ReminderRecord(
                        key: $0.key, message: message, claimedAt: now, isUnsent: isDropped,
                        sentAt: isDropped ? nil : now, deliveredAt: isConfirmed ? now : nil)
                }
                if !isDropped { simulation.messages.append((now, reminders)) }
            }
            next = [decision.next, simulation.planner.nextCheck(at: now)].compactMap { $0 }.filter {
                $0 > now
            }
            .min()
        }
        return simulation
    }

    @Test func `each reminder is sent once, in its window, outside quiet hours and within the daily maximum`()
        throws
    {
        var cases = SeededCases(19)
        var sent = 0
        for number in 0..<400 {
            let simulation = try simulation(&cases)
            let rule = try #require(simulation.planner.study.reminder)
            let zone = simulation.planner.zone
            var seen: Set<ReminderKey> = []
            var perDay: [LocalDate: Int] = [:]
            for (moment, reminders) in simulation.messages {
                sent += 1
                let local = zone.local(of: moment)
                #expect(!rule.quietHours.contains(local.time), "case \(number): \(local.time)")
                perDay[local.date, default: 0] += 1
                for reminder in reminders {
                    #expect(seen.insert(reminder.key).inserted, "case \(number): \(reminder.key) twice")
                    #expect(moment < reminder.expiresAt, "case \(number)")
                    guard reminder.key.kind != .dueToday, let occasion = reminder.occasions.first else {
                        continue
                    }
                    #expect(moment >= occasion.window.openAt, "case \(number)")
                }
            }
            if let most = rule.maximumPerDay {
                #expect(perDay.values.allSatisfy { $0 <= most }, "case \(number)")
            }
            let resends = Dictionary(grouping: seen.filter { $0.kind == .resend }, by: \.subject)
            #expect(resends.values.allSatisfy { $0.count <= 2 }, "case \(number)")
        }
        #expect(sent > 2000)
    }

    @Test func `a postponed moment is not earlier, not in quiet hours, and unchanged outside quiet hours`()
        throws
    {
        var cases = SeededCases(23)
        let identifiers = Zone.identifiers.sorted()
        for _ in 0..<5000 {
            let zone = try zone(try #require(identifiers.randomElement(using: &cases)))
            let from = try #require(LocalTime(seconds: Int.random(in: 0..<86_400, using: &cases)))
            let to = try #require(LocalTime(seconds: Int.random(in: 0..<86_400, using: &cases)))
            let rule = ReminderRule(at: nil, quietFrom: from, quietTo: to)
            let moment = try at("2010-01-01T00:00:00Z").adding(
                seconds: Int.random(in: 0..<630_000_000, using: &cases))

            let allowed = rule.quietHours.postponed(moment, zone: zone)

            #expect(allowed >= moment)
            #expect(
                !rule.quietHours.contains(zone.local(of: allowed).time), "\(zone) \(moment) \(from) \(to)")
            if !rule.quietHours.contains(zone.local(of: moment).time) { #expect(allowed == moment) }
        }
    }
}
