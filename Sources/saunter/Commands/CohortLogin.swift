import SaunterCohort

/// How to log in as somebody of the cohort, and what to try first.
struct CohortLogin {
    let participant: String
    let password: String

    func guide(url: String, study: String) -> [String] {
        """
        A participant:  \(participant)
        A researcher:   \(Cohort.researcherEmail)
        Password:       \(password)   (of both)

        Three things to try, in another terminal:

        1. Log in as the participant, and see what is due today:
             TOKEN=$(curl -s \(url)/v1/tokens -H 'Content-Type: application/json' \\
               -d '{"email":"\(participant)","password":"\(password)"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
             ENROLMENT=$(curl -s \(url)/v1/enrolments -H "Authorization: Bearer $TOKEN" \\
               | sed 's/.*"enrolment_id":"\\([^"]*\\)".*/\\1/')
             curl -s \(url)/v1/enrolments/$ENROLMENT/overview -H "Authorization: Bearer $TOKEN"
        2. See the participant's walks:
             curl -s \(url)/v1/enrolments/$ENROLMENT/walks -H "Authorization: Bearer $TOKEN"
        3. Log in as the researcher, and see how everybody is doing:
             TOKEN=$(curl -s \(url)/v1/tokens -H 'Content-Type: application/json' \\
               -d '{"email":"\(Cohort.researcherEmail)","password":"\(password)"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
             curl -s \(url)/v1/studies/\(study)/adherence -H "Authorization: Bearer $TOKEN"
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
