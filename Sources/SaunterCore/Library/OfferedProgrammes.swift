/// What a participant can begin: the programmes and practices of an edition that the participant's study version has.
///
/// Programmes belong to editions, and practices to study versions, so a programme can name a practice that the version
/// does not have. It is left out until the participant follows a version that has it.
package struct OfferedProgrammes: Sendable {
    /// The programmes that are not withdrawn, each with the practices that the study version has, in the order of the
    /// pack. A programme without such a practice is left out.
    package let programmes: [Programme]
    private let programmeCodes: Set<String>
    /// The practices that are in no programme, or in one that is not withdrawn.
    private let practices: Set<String>
    private let recommendations: Recommendations?

    /// - Parameter library: nil if the study has no library.
    package init(of library: Library?, in study: Study) {
        let practices = Set(study.practices)
        let all = library?.programmes ?? []
        programmes = all.filter { !$0.isWithdrawn }.compactMap { programme in
            var programme = programme
            programme.modules = programme.modules.filter(practices.contains)
            return programme.modules.isEmpty ? nil : programme
        }
        programmeCodes = Set(programmes.map(\.code))
        self.practices =
            practices.subtracting(all.flatMap(\.modules)).union(programmes.flatMap(\.modules))
            .subtracting(all.map(\.code))
        recommendations = library?.recommendations
    }

    /// Whether a participant can begin a practice or a programme. A practice whose programmes are all withdrawn is not
    /// offered.
    package func contains(_ code: String) -> Bool {
        programmeCodes.contains(code) || practices.contains(code)
    }

    /// The recommendations of one participant; empty if the library has none.
    /// - Parameter scope: the participant's variables.
    package func recommended(in scope: ExpressionScope) -> [Recommended] {
        recommendations?.list(in: scope, isOffered: contains) ?? []
    }
}

extension Library {
    /// See `OfferedProgrammes.programmes`.
    package func offeredProgrammes(in study: Study) -> [Programme] {
        OfferedProgrammes(of: self, in: study).programmes
    }
}

/// How often a participant did one practice. It follows from the current answer sheets: the newest revisions that are
/// neither deleted nor duplicates, of any version of the questionnaire.
package struct PracticeProgress: Sendable, Hashable {
    /// The code of the practice.
    package var practice: String
    /// The number of sheets, at least 1.
    package var times: Int
    /// The completion of the newest sheet by the server's clock.
    package var lastAt: Instant

    /// Creates the progress of a practice that was done.
    package init(practice: String, times: Int, lastAt: Instant) {
        self.practice = practice
        self.times = times
        self.lastAt = lastAt
    }
}

extension Questionnaire {
    /// What a participant goes through, one after the other: the stories (display items) and the inputs (questions)
    /// that are shown. The questions of a repeating group count once.
    package var exercises: (stories: Int, inputs: Int) {
        func count(_ items: [Item]) -> (stories: Int, inputs: Int) {
            items.filter { !$0.hidden }.reduce((0, 0)) { sum, item in
                let inner = count(item.item)
                return (
                    sum.0 + inner.stories + (item.type == .display ? 1 : 0),
                    sum.1 + inner.inputs + (item.type.isQuestion ? 1 : 0)
                )
            }
        }
        return count(item)
    }

    /// The first question whose answer is one integer or one option; nil if there is none. In a questionnaire that
    /// rates practices, its answer is the rating.
    package var ratingItem: Item? {
        questions.first { ($0.type == .integer || $0.type == .choice) && !$0.repeats && !$0.hidden }
    }
}

extension Study {
    /// The schedule by which participants of an arm rate a practice: the first one in the order of the pack that
    /// follows every practice (`{programme: any}`) and whose questionnaire has a rating item. Nil if there is none.
    package func ratingSchedule(of arm: String?) -> Schedule? {
        schedules.first { schedule in
            schedule.anchor == .completionOfPractice && schedule.applies(to: arm)
                && questionnaire(schedule.questionnaire)?.ratingItem != nil
        }
    }

    /// The sheet from which an occasion follows; nil if it follows no sheet, or if this version does not have its
    /// schedule.
    package func sheet(followedBy occasion: OccasionKey) -> SheetID? {
        guard let schedule = schedules.first(where: { $0.id == occasion.schedule }),
            schedule.anchor.isRepeated, schedule.anchor != .walk
        else { return nil }
        return SheetID(occasion.anchorInstance)
    }
}
