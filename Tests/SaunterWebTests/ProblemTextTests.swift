import SaunterServer
import Testing

@testable import SaunterWeb

/// What pages say about the problems of the API.
@Suite struct ProblemTextTests {
    @Test(arguments: ProblemType.allCases)
    func `every problem has a title and a next step in every language`(_ type: ProblemType) throws {
        for language in try Words(WebFiles(folder: nil)).languages {
            let text = ProblemText(Problem(type, "English detail.", retryAfter: 90), language)

            #expect(language["problem", type.slug] != nil, "\(language.code): problem.\(type.slug)")
            #expect(language["problem_text", type.slug] != nil, "\(language.code): problem_text.\(type.slug)")
            #expect(
                text.title != type.slug && !text.text.contains("{") && !text.text.contains("English detail"))
        }
    }

    @Test func `the time to wait is stated in whole minutes`() throws {
        let english = try #require(try Words(WebFiles(folder: nil)).languages.first)

        let text = ProblemText(Problem(.tooManyRequests, retryAfter: 61), english)

        #expect(text.text.contains("2 min"))
    }
}
