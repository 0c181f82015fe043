import SaunterCohort
import SaunterCore

/// Explains how to log in as a participant or researcher of the cohort, and what to try first.
struct CohortLogin {
    let participant: String
    /// The addresses of all simulated participants.
    var participants: [String] = []
    let password: String
    let study: Study

    /// The lines of the guide. The commands need curl and jq.
    func guide(url: String) -> [String] {
        let dueToday = """
            1. Log in as the participant, and see what is due today.

                 URL=\(url)
                 \(logIn("TOKEN", participant))
                 E=$(curl -s $URL/v1/enrolments -H "Authorization: Bearer $TOKEN" \
            | jq -r '.items[] | select(.study == "\(study.code)").enrolment_id')
                 curl -s $URL/v1/enrolments/$E/overview -H "Authorization: Bearer $TOKEN" \
            | jq -c '.items[] | {title, due_today, disabled_reason}'
            """
        let researcher = """
            Log in as the researcher, who is also an editor, and see the sheets, walks and adherence of all participants.

                 \(logIn("R", Cohort.researcherEmail))
                 curl -s $URL/v1/studies/\(study.code)/participants -H "Authorization: Bearer $R" \
            | jq -c '.items[] | [.participant_id, .arm, .answer_sheets, .walks, .adherence.adherence_percent]'
            """
        let parts = [walks, insights, researcher].compactMap { $0 }
        let numbered = parts.enumerated().map { "\($0.offset + 2). \($0.element)" }
        let text = """
            Participant:    \(participant)
            Researcher:     \(Cohort.researcherEmail)
            Password:       \(password)   (for both)

            To try, in another terminal:

            \(([dueToday] + numbered).joined(separator: "\n\n"))
            """
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private var walks: String? {
        guard study.walking != nil else { return nil }
        return """
            See the participant's walks.

                 curl -s $URL/v1/enrolments/$E/walks -H "Authorization: Bearer $TOKEN" | jq -c '.items[].summary'
            """
    }

    private var insights: String? {
        guard study.variables.contains(where: { $0.shown == .participants }) else { return nil }
        return """
            See what the participant's entries show.

                 curl -s $URL/v1/enrolments/$E/insights -H "Authorization: Bearer $TOKEN" \
            | jq -c '.items[] | {title, value, n, text}'
            """
    }

    private func logIn(_ variable: String, _ email: String) -> String {
        """
        \(variable)=$(curl -s $URL/v1/tokens --json '{"email":"\(email)","password":"\(password)"}' \
        | jq -r .access_token)
        """
    }
}
