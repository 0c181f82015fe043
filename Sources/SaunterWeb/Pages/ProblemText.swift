import SaunterServer

/// What a page says about a problem: what happened, and what to do next.
struct ProblemText {
    let title: String
    let text: String

    init(_ problem: Problem, _ words: Words.Language) {
        title = words.text("problem", problem.type.slug)
        text = words.text("problem_text", problem.type.slug, ["minutes": String(problem.minutesToWait)])
    }
}

extension Problem {
    /// After how many minutes the visitor can try again, rounded up; 1 if the problem does not state it.
    var minutesToWait: Int { ((retryAfter ?? 60) + 59) / 60 }
}
