import SaunterCohort

/// Explains how to log in as a participant or researcher of the cohort, and what to try first.
struct CohortLogin {
    let participant: String
    let password: String

    /// The lines of the guide. The commands need curl and jq.
    func guide(url: String, study: String) -> [String] {
        """
        Participant:    \(participant)
        Researcher:     \(Cohort.researcherEmail)
        Password:       \(password)   (for both)

        Three things to try, in another terminal:

        1. Log in as the participant, and see what is due today.

             URL=\(url)
             TOKEN=$(curl -s $URL/v1/tokens --json '{"email":"\(participant)","password":"\(password)"}' \
        | jq -r .access_token)
             E=$(curl -s $URL/v1/enrolments -H "Authorization: Bearer $TOKEN" | jq -r .items[0].enrolment_id)
             curl -s $URL/v1/enrolments/$E/overview -H "Authorization: Bearer $TOKEN" \
        | jq -c '.items[] | {title, due_today, disabled_reason}'

        2. See the participant's walks.

             curl -s $URL/v1/enrolments/$E/walks -H "Authorization: Bearer $TOKEN" | jq -c '.items[].summary'

        3. Log in as the researcher, and see the sheets, walks and adherence of all participants.

             R=$(curl -s $URL/v1/tokens --json '{"email":"\(Cohort.researcherEmail)","password":"\(password)"}' \
        | jq -r .access_token)
             curl -s $URL/v1/studies/\(study)/participants -H "Authorization: Bearer $R" \
        | jq -c '.items[] | [.participant_id, .arm, .answer_sheets, .walks, .adherence.adherence_percent]'
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
