/// Signs of careless answering in the answers of one sheet, in the order in which they were asked and as they
/// were given: not reversed.
package struct AnswerPattern: Sendable, Hashable {
    /// Longest run of equal answers (longstring); a blank ends a run.
    package let longestRun: Int
    /// Standard deviation of the answers with n − 1 (intra-individual response variability, IRV).
    package let withinDeviation: Estimate<Double>
    package let answered: Int

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
        let description = Description(answers)
        withinDeviation = description.deviation
        answered = description.count
    }
}
