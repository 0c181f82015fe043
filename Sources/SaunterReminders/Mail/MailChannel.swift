import Logging

extension Channel {
    /// Mail by a server of SMTP. Failures are logged with the server's words, never with an address.
    ///
    /// A failure that only a change of the configuration can heal (login, certificate) is logged as an error and
    /// counts as temporary: the mail goes out once it is healed.
    package static func mail(
        through server: MailServer, from: String, fromName: String? = nil, logger: Logger
    ) -> Channel {
        Channel(name: "mail") { delivery in
            let message: MailMessage
            do {
                message = try MailMessage(
                    from: from, fromName: fromName, to: delivery.to, subject: delivery.subject,
                    text: delivery.text,
                    messageID: delivery.messageID, date: delivery.date,
                    // RFC 3834: nobody's holiday notice shall answer it.
                    headers: [.init("Auto-Submitted", "auto-generated")])
            } catch {
                logger.warning("a mail could not be written", metadata: ["fault": "\(error)"])
                return .permanentFailure(code: nil)
            }
            let outcome = await server.send(message)
            log(outcome, delivery.messageID, server, logger)
            return DeliveryOutcome(outcome)
        }
    }

    private static func log(
        _ outcome: MailOutcome, _ messageID: String, _ server: MailServer, _ logger: Logger
    ) {
        var metadata: Logger.Metadata = ["message_id": "\(messageID)", "server": "\(server.summary)"]
        switch outcome {
        case .accepted:
            logger.debug("mail accepted", metadata: metadata)
        case .temporaryFailure(_, let text, let retryable), .serverFault(_, let text, let retryable):
            metadata["reason"] = "\(text)"
            logger.log(
                level: retryable ? .notice : .error, "mail not sent, to be tried again", metadata: metadata)
        case .permanentFailure(_, let text):
            metadata["reason"] = "\(text)"
            logger.notice("mail refused", metadata: metadata)
        case .unknown(let text):
            metadata["reason"] = "\(text)"
            logger.warning("connection lost before the mail was confirmed", metadata: metadata)
        }
    }
}

extension DeliveryOutcome {
    /// What a mail server's answer means for a delivery.
    init(_ outcome: MailOutcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .temporaryFailure(let code, _, _): self = .temporaryFailure(code: code)
        case .serverFault(let code, _, _): self = .outage(code: code)
        case .permanentFailure(let code, _): self = .permanentFailure(code: code)
        case .unknown: self = .unknown
        }
    }
}
