import SaunterServer

/// What a page says about a problem: what happened, and what to do next.
struct ProblemText {
    let title: String
    let text: String

    init(_ problem: Problem, _ words: Words.Language) {
        title = words.text("problem", problem.type.slug)
        let minutes = ((problem.retryAfter ?? 60) + 59) / 60
        text = words.text("problem_text", problem.type.slug, ["minutes": String(minutes)])
    }
}
