/// Indicators of careless answering in one sheet. The answers are in the order of the questions and not reversed.
package struct AnswerPattern: Sendable, Hashable {
    /// The longest run of equal answers (longstring). A blank ends a run.
    package let longestRun: Int
    /// The standard deviation of the answers with n − 1 (intra-individual response variability, IRV).
    package let withinDeviation: Estimate<Double>
    /// The number of answers.
    package let answered: Int

    /// - Parameter answers: nil is a blank.
    package init(_ answers: [Double?]) {
        var longest = 0
        var run = 0
        var last: Double?
        for answer in answers {
            run = answer == nil ? 0 : answer == last ? run + 1 : 1
            last = answer
            longest = max(longest, run)
        }
        longestRun = longest
        let description = DescriptiveStatistics(answers)
        withinDeviation = description.deviation
        answered = description.count
    }
}
