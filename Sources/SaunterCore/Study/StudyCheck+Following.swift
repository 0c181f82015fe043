/// Whether what follows answered questionnaires can ever begin, and whether it ends.
extension StudyCheck {
    /// - Parameter places: schedules without a fault of their own; of the others it is thought that all is well.
    mutating func checkFollowing(of places: [Int]) {
        for place in places where study.schedules[place].maxPerDay == nil && multiplies(place) {
            faults.add(
                "/schedules/\(place)/anchor", "multiplies",
                """
                Each sheet would bring about several more of itself, and each of those as many again; one that follows its \
                own sheets has a single window, or a `max_per_day`.
                """
            )
        }
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        let sound = Set(places)
        let causes = study.schedules.map { awaited(by: $0) }
        var plans: Set<[Int]> = []
        var stuck: Set<Int> = []
        // Of schedules that bring each other about: whether they do so for ever.
        var loops: [[Int]: Bool] = [:]
        var part = budget.part(among: 4)
        var isPart = false
        for arm in arms {
            let mine = study.schedules.indices.filter { study.schedules[$0].applies(to: arm) }
            guard plans.insert(mine).inserted else { continue }
            let never = waiting(mine, sound: sound, causes)
            stuck.formUnion(never)
            let followers = mine.filter { sound.contains($0) && !never.contains($0) && followsAtOnce($0) }
            let following = Dictionary(grouping: followers) { study.schedules[$0].anchor }
            for first in followers {
                guard let way = loop(from: first, along: following)?.sorted(), loops[way] == nil else {
                    continue
                }
                // To put its windows in order is dearer than to look at one.
                let cost = 16 * way.reduce(0) { $0 + study.schedules[$1].slots.count }
                if cost > part.left { isPart = true } else { loops[way] = isEndless(way) }
                part.spend(cost)
            }
        }
        budget.settle(part)
        if isPart {
            remarks.add(
                "/schedules", "followed_in_part",
                "\(Self.tooLarge): of questionnaires that bring each other about not all were looked at whether they end."
            )
        }
        for place in stuck.sorted() {
            faults.add(
                "/schedules/\(place)/\(waitingPart(of: study.schedules[place]))", "never_begins",
                "It never begins: what it waits for is only asked after it has begun.")
        }
        let endless = loops.filter(\.value).keys
        for way in endless.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let ids = way.map { study.schedules[$0].id }.joined(separator: " and ")
            faults.add(
                "/schedules/\(way[0])/anchor", "endless",
                """
                \(ids) would bring each other about again and again, for ever; one of them needs an offset of a day \
                or more, or a `max_per_day`.
                """
            )
        }
    }

    /// Whether each sheet makes more occasions for sheets of its own kind than one.
    private func multiplies(_ place: Int) -> Bool {
        let schedule = study.schedules[place]
        guard schedule.anchor == .completion(questionnaire: schedule.questionnaire) else { return false }
        let nominal = nominal(place)
        return nominal.days(enrolledOn: Study.monday).count * nominal.windowsPerDay > 1
    }

    /// What of a schedule names the thing that it waits for.
    private func waitingPart(of schedule: Schedule) -> String {
        switch schedule.anchor {
        case .completion, .firstCompletion: "anchor"
        default: schedule.phase == nil ? "anchor" : "phase"
        }
    }

    /// What can never begin of these schedules of one arm: it waits for sheets that nobody can hand in before.
    /// - Parameter awaited: by place, the questionnaires that each schedule waits for.
    private func waiting(_ mine: [Int], sound: Set<Int>, _ awaited: [[String]]) -> Set<Int> {
        let asked = Set(mine.map { study.schedules[$0].questionnaire })
        var answered = Set(study.anyTime)
        var waiting = Set(mine)
        while true {
            let begun = waiting.filter { place in
                // What nobody asks at all is told where it is named.
                !sound.contains(place)
                    || awaited[place].allSatisfy {
                        answered.contains($0) || !asked.contains($0)
                    }
            }
            if begun.isEmpty { return waiting }
            waiting.subtract(begun)
            answered.formUnion(begun.map { study.schedules[$0].questionnaire })
        }
    }

    /// Questionnaires of which a sheet must be there before the schedule has any window.
    private func awaited(by schedule: Schedule) -> [String] {
        var codes: [String] = []
        var phases = [schedule.phase]
        switch schedule.anchor {
        case .completion(let code), .firstCompletion(let code): codes.append(code)
        case .phase(let code): phases.append(code)
        case .enrolment, .studyDate, .walk, .event: break
        }
        for code in phases.compactMap({ $0 }) {
            if case .firstCompletion(let awaited)? = study.phase(code)?.start { codes.append(awaited) }
        }
        return codes
    }

    /// Whether each sheet brings about an occasion on its own day, without any limit.
    private func followsAtOnce(_ place: Int) -> Bool {
        let schedule = study.schedules[place]
        guard case .completion = schedule.anchor else { return false }
        return schedule.offsetDays == 0 && schedule.maxPerDay == nil
    }

    /// The shortest way by which what this schedule asks brings the schedule about again: it and those after it. Nil where there is none.
    /// - Parameter following: places of schedules by what they count from.
    private func loop(from first: Int, along following: [Anchor: [Int]]) -> [Int]? {
        let cause = study.schedules[first].anchor
        var ways = [[first]]
        var seen: Set<String> = [study.schedules[first].questionnaire]
        while !ways.isEmpty {
            var longer: [[Int]] = []
            for way in ways {
                let last = study.schedules[way[way.count - 1]]
                let sheet = Anchor.completion(questionnaire: last.questionnaire)
                if sheet == cause { return way }
                for next in following[sheet] ?? [] {
                    let isNew = seen.insert(study.schedules[next].questionnaire).inserted
                    if isNew { longer.append(way + [next]) }
                }
            }
            ways = longer
        }
        return nil
    }

    /// Whether all of it happens within a day, and its windows share a time of day.
    private func isEndless(_ way: [Int]) -> Bool {
        let slots = way.map { study.schedules[$0].slots }
        let delay = slots.reduce(0) { sum, slots in
            sum + (slots.filter(\.opensAfterAnchor).map(\.nominalSpan.lowerBound).min() ?? 0)
        }
        // What opens after its sheet opens at any time of day.
        let spans = slots.filter { !$0.contains(where: \.opensAfterAnchor) }.map { $0.map(\.nominalSpan) }
        return delay < 86_400 && (spans.isEmpty || Self.shareAMoment(spans))
    }

    /// Whether something of each is open at one time.
    private static func shareAMoment(_ lists: [[Range<Int>]]) -> Bool {
        // Each list's spans as a union, so that each is counted once at any time.
        let edges = lists.flatMap { spans -> [(at: Int, step: Int)] in
            var end = Int.min
            return spans.sorted { $0.lowerBound < $1.lowerBound }.flatMap { span -> [(at: Int, step: Int)] in
                let rest = max(span.lowerBound, end)
                guard rest < span.upperBound else { return [] }
                end = span.upperBound
                return [(rest, 1), (span.upperBound, -1)]
            }
        }
        var open = 0
        for edge in edges.sorted(by: { ($0.at, $0.step) < ($1.at, $1.step) }) {
            open += edge.step
            if open == lists.count { return true }
        }
        return false
    }
}
