import SaunterCore

/// The URL of the page of the web app that a message opens.
enum MessageURL {
    /// The page of the occasion; the participant's first page if there are several or none.
    static func page(publicURL: String, enrolment: EnrolmentID, occasions: [OccasionID]) -> String {
        let home = "\(publicURL)/my/\(enrolment)"
        return occasions.count == 1 ? "\(home)/o/\(occasions[0])" : home
    }

    /// The page to which the message of a rule leads.
    static func page(publicURL: String, enrolment: EnrolmentID, target: String?, study: Study) -> String {
        study.address(of: target, home: "\(publicURL)/my/\(enrolment)")
    }
}
