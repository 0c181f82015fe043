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
        var stuck: Set<Int> = []
        var loops: Set<[Int]> = []
        for arm in arms {
            let mine = study.schedules.indices.filter { study.schedules[$0].applies(to: arm) }
            let never = waiting(mine, sound: Set(places))
            stuck.formUnion(never)
            let following = places.filter { mine.contains($0) && !never.contains($0) && followsAtOnce($0) }
            loops.formUnion(following.compactMap { loop(from: $0, along: following)?.sorted() })
        }
        for place in stuck.sorted() {
            faults.add(
                "/schedules/\(place)/\(waitingPart(of: study.schedules[place]))", "never_begins",
                "It never begins: what it waits for is only asked after it has begun.")
        }
        for way in loops.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
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
        let windows = study.nominalWindows(of: place, enrolledOn: Study.monday)
        return windows.reduce(0) { $0 + $1.count } > 1
    }

    /// What of a schedule names the thing that it waits for.
    private func waitingPart(of schedule: Schedule) -> String {
        switch schedule.anchor {
        case .completion, .firstCompletion: "anchor"
        default: schedule.phase == nil ? "anchor" : "phase"
        }
    }

    /// What can never begin of these schedules of one arm: it waits for sheets that nobody can hand in before.
    private func waiting(_ mine: [Int], sound: Set<Int>) -> Set<Int> {
        let asked = Set(mine.map { study.schedules[$0].questionnaire })
        var answered = Set(study.anyTime)
        var waiting = Set(mine)
        while true {
            let begun = waiting.filter { place in
                // What nobody asks at all is told where it is named.
                !sound.contains(place)
                    || awaited(by: study.schedules[place]).allSatisfy {
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

    /// The shortest way by which what this schedule asks brings the schedule about again within a day: it and those after it. Nil where
    /// there is none, or where the windows on the way share no time of day.
    private func loop(from first: Int, along following: [Int]) -> [Int]? {
        let cause = study.schedules[first].anchor
        var ways = [[first]]
        var seen: Set<String> = [study.schedules[first].questionnaire]
        while !ways.isEmpty {
            var longer: [[Int]] = []
            for way in ways {
                let last = study.schedules[way[way.count - 1]]
                let sheet = Anchor.completion(questionnaire: last.questionnaire)
                if sheet == cause { return isEndless(way) ? way : nil }
                for next in following where study.schedules[next].anchor == sheet {
                    let isNew = seen.insert(study.schedules[next].questionnaire).inserted
                    if isNew { longer.append(way + [next]) }
                }
            }
            ways = longer
        }
        return nil
    }

    private func isEndless(_ way: [Int]) -> Bool {
        let slots = way.map { study.schedules[$0].slots }
        let delay = slots.reduce(0) { sum, slots in
            sum + (slots.filter(\.opensAfterAnchor).map(\.nominalSpan.lowerBound).min() ?? 0)
        }
        // What opens after its sheet opens at any time of day.
        let spans = slots.filter { !$0.contains(where: \.opensAfterAnchor) }.map { $0.map(\.nominalSpan) }
        let moments = spans.first.map { _ in spans.joined().map(\.lowerBound) } ?? [0]
        return delay < 86_400
            && moments.contains { moment in spans.allSatisfy { $0.contains { $0.contains(moment) } } }
    }
}
