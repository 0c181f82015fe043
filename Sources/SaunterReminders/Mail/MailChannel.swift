import Logging

/// Sends mail. A channel is one function, so that tests can replace the network.
package struct MailChannel: Sendable {
    /// Makes one attempt. It never throws; a fault is an outcome.
    package var deliver: @Sendable (MailDelivery) async -> DeliveryOutcome

    /// Creates a channel from its function.
    package init(deliver: @escaping @Sendable (MailDelivery) async -> DeliveryOutcome) {
        self.deliver = deliver
    }
}

extension MailChannel {
    /// Sends mail by SMTP. Failures are logged with the server's reply, never with an address.
    ///
    /// A failure that needs a change of the configuration (login, certificate) is logged as an error. It counts as
    /// temporary, so the mail is sent after the change.
    package static func smtp(
        through server: MailServer, from: String, fromName: String? = nil, logger: Logger
    ) -> MailChannel {
        MailChannel { delivery in
            let message: MailMessage
            do {
                message = try MailMessage(
                    from: from, fromName: fromName, to: delivery.to, subject: delivery.subject,
                    text: delivery.text,
                    messageID: delivery.messageID, date: delivery.date,
                    // RFC 3834: prevents automatic replies.
                    headers: [.init("Auto-Submitted", "auto-generated")])
            } catch {
                logger.warning("a mail could not be composed", metadata: ["fault": "\(error)"])
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
                level: retryable ? .notice : .error, "mail not sent; it will be retried", metadata: metadata)
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
    /// The delivery outcome for the outcome of a mail attempt.
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
