import Foundation
import Testing

@testable import SaunterCore

/// What holds of every participant's messages, whatever their study, zone and worker.
@Suite("Prompting, at random")
struct PromptingRulesTests {
    struct Course {
        var messages: [(at: Instant, prompts: [Prompt])] = []
        var prompting: Prompting
    }

    /// A worker that is late now and then looks at somebody for two weeks; devices confirm some of what arrives.
    private func course(_ cases: inout SeededCases) throws -> Course {
        let identifiers = Zone.identifiers.sorted()
        let zone = try zone(try #require(identifiers.randomElement(using: &cases)))
        let start = try at("2026-03-20T00:00:00Z").adding(
            seconds: Int.random(in: 0...250, using: &cases) * 86_400)
        func anyTime() throws -> LocalTime {
            try #require(LocalTime(seconds: Int.random(in: 0..<288, using: &cases) * 300))
        }
        var schedule = Sample.schedule(slots: [try Sample.slot("10:00", due: hour, close: 2 * hour)])
        schedule.prompts = [
            .atOpen, .afterOpen(seconds: Int.random(in: 1...60, using: &cases) * 60),
            .beforeDue(seconds: Int.random(in: 0...90, using: &cases) * 60),
            .beforeClose(seconds: Int.random(in: 1...90, using: &cases) * 60),
        ].filter { _ in Bool.random(using: &cases) }
        var study = Sample.study([schedule])
        let rule = ReminderRule(
            at: nil, quietFrom: try anyTime(), quietTo: try anyTime(),
            mostPerDay: Bool.random(using: &cases) ? Int.random(in: 1...4, using: &cases) : nil,
            resendAfter: Bool.random(using: &cases) ? Int.random(in: 5...240, using: &cases) * 60 : nil)
        study.reminder = rule
        if Bool.random(using: &cases) { study.reminder?.at = rule.awake(try anyTime()) }
        let occasions = (0..<12).map { number in
            let open = start.adding(seconds: Int.random(in: 0...4000, using: &cases) * 300)
            return Sample.occasion(
                number, open: open, due: hour, close: Int.random(in: 2...30, using: &cases) * hour, zone: zone
            )
        }
        var course = Course(
            prompting: Prompting(
                study: study, occasions: occasions, zone: zone, enrolledAt: start, plannedThrough: .maximum))
        var next = course.prompting.next(at: start)
        for _ in 0..<400 {
            guard let waited = next else { break }
            let isLate = Int.random(in: 0..<8, using: &cases) == 0
            let now = waited.adding(seconds: isLate ? Int.random(in: 0...40_000, using: &cases) : 0)
            let decision = course.prompting.decision(at: now, waitedFor: waited)
            if let later = decision.next {
                #expect(later > now, "a moment that has passed is not waited for again")
            }
            let message = MessageID(UUID())
            for (prompts, isHeld) in [(decision.send, false), (decision.drop, true)] where !prompts.isEmpty {
                let isConfirmed = Bool.random(using: &cases)
                course.prompting.records += prompts.map {
                    ReminderRecord(
                        key: $0.key, message: message, claimedAt: now, isUnsent: isHeld,
                        sentAt: isHeld ? nil : now, deliveredAt: isConfirmed ? now : nil)
                }
                if !isHeld { course.messages.append((now, prompts)) }
            }
            next = [decision.next, course.prompting.next(at: now)].compactMap { $0 }.filter { $0 > now }.min()
        }
        return course
    }

    @Test func `each goes out once, in its window, in nobody's quiet hours, and not over the day's count`()
        throws
    {
        var cases = SeededCases(19)
        var sent = 0
        for number in 0..<400 {
            let course = try course(&cases)
            let rule = try #require(course.prompting.study.reminder)
            let zone = course.prompting.zone
            var seen: Set<PromptKey> = []
            var perDay: [LocalDate: Int] = [:]
            for (moment, prompts) in course.messages {
                sent += 1
                let local = zone.local(of: moment)
                #expect(!rule.isQuiet(local.time), "case \(number): \(local.time)")
                perDay[local.date, default: 0] += 1
                for prompt in prompts {
                    #expect(seen.insert(prompt.key).inserted, "case \(number): \(prompt.key) twice")
                    #expect(moment < prompt.expiresAt, "case \(number)")
                    guard prompt.key.kind != .dueToday, let occasion = prompt.occasions.first else {
                        continue
                    }
                    #expect(moment >= occasion.window.openAt, "case \(number)")
                }
            }
            if let most = rule.mostPerDay {
                #expect(perDay.values.allSatisfy { $0 <= most }, "case \(number)")
            }
            let resends = Dictionary(grouping: seen.filter { $0.kind == .resend }, by: \.subject)
            #expect(resends.values.allSatisfy { $0.count <= 2 }, "case \(number)")
        }
        #expect(sent > 2000)
    }

    @Test func `an awake moment is not earlier, not quiet, and the same where it was not quiet`() throws {
        var cases = SeededCases(23)
        let identifiers = Zone.identifiers.sorted()
        for _ in 0..<5000 {
            let zone = try zone(try #require(identifiers.randomElement(using: &cases)))
            let from = try #require(LocalTime(seconds: Int.random(in: 0..<86_400, using: &cases)))
            let to = try #require(LocalTime(seconds: Int.random(in: 0..<86_400, using: &cases)))
            let rule = ReminderRule(at: nil, quietFrom: from, quietTo: to)
            let moment = try at("2010-01-01T00:00:00Z").adding(
                seconds: Int.random(in: 0..<630_000_000, using: &cases))

            let awake = rule.awake(moment, zone: zone)

            #expect(awake >= moment)
            #expect(!rule.isQuiet(zone.local(of: awake).time), "\(zone) \(moment) \(from) \(to)")
            if !rule.isQuiet(zone.local(of: moment).time) { #expect(awake == moment) }
        }
    }
}
