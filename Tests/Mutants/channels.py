"""What keeps messages by Web Push and webhook safe, broken on purpose: what `broken.py` tries. Entries are as in `faults.py`, in C as in Swift; `swift` before
a test means suites of the Swift tests."""

_RETRY = "wait < 0 ? 0 : wait > 86400 ? 86400 : (long)wait"
_SIGNATURE = "key.signature(for: Data(signed.utf8)).rawRepresentation"
_POST = "Sources/CCurl/Post.c"
_TRANSFER = "Sources/CCurl/Transfer.c"
_OUTWARD = "swift OutwardCallTests"
_URL = "swift OutwardURLTests|OutwardRuleTests"
_PUSH = "swift PushSenderTests"
_RECORD = "swift EncryptedRecordTests"
_SUBSCRIPTION = "swift PushSubscriptionTests|VAPIDKeyTests"
_STEP = "swift ChannelStepTests"
_SECRET = "swift WebhookSecretTests"
_ADDRESS = "swift IPAddressTests"
_REDIRECT = "test_channels.py::test_a_redirect_is_not_followed"
_CERTIFICATE = "test_channels.py::test_a_server_that_cannot_prove_who_it_is_learns_nothing"
_NAME = "test_channels.py::test_a_certificate_of_another_name_proves_nothing"
_PROXY = "test_channels.py::test_no_proxy_of_the_environment_learns_what_is_sent"
_ENDLESS = "test_channels.py::test_a_reply_without_end_is_cut_off"
_NEVER = "test_channels.py::test_a_receiver_that_never_answers_holds_nobody_up_for_long"
_REBOUND = "test_channels.py::test_a_name_that_changes_its_address_gains_nothing"
_INTERIM = "test_channels.py::test_an_interim_reply_is_no_answer"
_WAIT = "test_channels.py::test_a_service_that_asks_to_wait_is_left_alone_until_then"
_ENCRYPTED = "test_channels.py::test_a_push_is_encrypted_for_the_device_and_signed_by_the_server"
_HOOK = "test_channels.py::test_a_webhook_is_signed_and_knows_nobody_by_name"
_HOOK_GONE = "test_channels.py::test_a_webhook_that_is_gone_is_disabled_and_that_is_seen"
_HOOK_REFUSED = "test_channels.py::test_a_webhook_that_cannot_be_called_is_refused"
_GONE = "test_channels.py::test_a_device_that_is_gone_makes_way_for_mail"
_INSIDE = "test_channels.py::test_without_the_operators_word_this_machine_is_not_called"


def _range(text):
    """A private network that is forgotten."""
    known = "Self.special4" if "." in text else "Self.special6"
    return (_ADDRESS, f"{text} is taken for the open internet's", known + ".contains { $0.contains(self) }", f'Mutated.holds({known}, but: "{text}", self)')


MUTANTS = {
    _POST: [
        (_REDIRECT, "redirects are followed", "0L", "5L", "SET(CURLOPT_FOLLOWLOCATION, 0L)"),
        (_ENDLESS, "a reply is read without end", "*read <= bound", "1"),
        (_OUTWARD, "the judge's word is not heeded", "!is_allowed", "0"),
        (_REBOUND, "the judge's word is not heeded", "!is_allowed", "0"),
        (_OUTWARD, "IPv6 is not judged", "request->judge((const uint8_t *)&six->sin6_addr, 16, request->context)", "1"),
        (_INTERIM, "an interim reply is an answer", "status >= 200", "status >= 100"),
        (_NEVER, "what may have been taken counts as not sent", "begun > 0", "0"),
        (_WAIT, "no service is left alone", _RETRY, "0"),
        (_OUTWARD, "whoever gives up goes on calling", "saunter_stop_is_set(post->request->stop)", "0"),
    ],
    _TRANSFER: [
        (_PROXY, "a proxy of the environment is asked", '""', "(char *)NULL", 'SET(CURLOPT_PROXY, "")'),
        (_CERTIFICATE, "any certificate will do", "1L", "0L", "SET(CURLOPT_SSL_VERIFYPEER, 1L)"),
        (_NAME, "a certificate of another name will do", "2L", "0L", "SET(CURLOPT_SSL_VERIFYHOST, 2L)"),
        (_NEVER, "a call may take for ever", "total_timeout_ms", "0L", "SET(CURLOPT_TIMEOUT_MS, total_timeout_ms)"),
    ],
    "Sources/SaunterReminders/Outward/OutwardCaller+Network.swift": [
        (_OUTWARD, "the rule is not asked", "judge.rule.allows($0, for: judge.host)", "!judge.host.isEmpty"),
        (_REBOUND, "the rule is not asked", "judge.rule.allows($0, for: judge.host)", "!judge.host.isEmpty"),
        (_REBOUND, "what was allowed once stays allowed", "judge.rule.allows($0, for: judge.host)", "Mutated.once(judge.host, judge.rule.allows($0, for: judge.host))"),
        (_NEVER, "what may have been taken is sent again", "report.may_have_been_sent != 0", "false"),
        (_INSIDE, "a refused address is tried again", "report.is_address_refused != 0", "false"),
    ],
    "Sources/SaunterReminders/Outward/OutwardRule.swift": [
        (_OUTWARD, "every address is called", "address.isPublic", "true", "address.isPublic ||"),
        (_URL, "parts of allowed names are allowed", "hosts.contains(host)", "hosts.contains { host.hasPrefix($0) }"),
        (_URL, "networks are not asked", "networks.contains { $0.contains(address) }", "!networks.isEmpty"),
        (_URL, "no URL is judged by its address", "url.address.map { allows($0, for: url.host) } ?? true", "true"),
    ],
    "Sources/SaunterReminders/Outward/OutwardURL.swift": [
        (_URL, "other schemes will do", "text.hasPrefix(scheme)", "true"),
        (_URL, "URLs are as long as they like", "text.utf8.count <= Self.mostBytes", "true"),
        (_URL, "users, fragments and backslashes are taken", "!Self.forbidden.contains($0)", "true"),
        (_URL, "control characters are taken", "(0x21...0x7E).contains($0)", "true", "(0x21...0x7E).contains($0) &&"),
        (_URL, "zones of addresses are taken", '!host.contains("%")', "true"),
        (_URL, "any port is taken", "port > 0", "true"),
        (_URL, "labels may be empty", "(1...63).contains(label.count)", "true"),
    ],
    "Sources/SaunterCore/Values/IPAddress+Public.swift": [
        *(_range(text) for text in (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16",
            "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2002::/16", "3fff::/20")),
        (_ADDRESS, "all of IPv6 is the open internet's", '"2000::/3"', '"::/0"'),
    ],
    "Sources/SaunterCore/Values/IPAddress.swift": [
        (_ADDRESS, "an IPv4 address hides in IPv6", "bytes.starts(with: mapped)", "false"),
    ],
    "Sources/SaunterReminders/Push/VAPIDKey.swift": [
        (_PUSH, "a token is good for days", "12 * 3600", "36 * 3600"),
        (_PUSH, "a token is good nowhere", ".string(origin)", '.string(origin + "/")'),
        (_PUSH, "the signature is of something else", _SIGNATURE, "key.signature(for: Data(head.bytes)).rawRepresentation"),
        (_PUSH, "the signature has another form", _SIGNATURE, "key.signature(for: Data(signed.utf8)).derRepresentation"),
        (_PUSH, "nobody is named to complain to", '.string(contact)', '.string("")'),
        (_SUBSCRIPTION, "every start has another key", "secrets.pushScalar(number)", "Array(P256.Signing.PrivateKey().rawRepresentation)"),
    ],
    "Sources/SaunterReminders/Push/EncryptedRecord.swift": [
        (_RECORD, "the record does not say that it is the last", "[2]", "[1]"),
        (_RECORD, "key and nonce are derived alike", '"nonce"', '"aes128gcm"'),
        (_RECORD, "the device's secret is left out", "secret", "[UInt8]()", "salt: secret,"),
        (_RECORD, "keys are not bound to the device", "Data(publicKey)", "Data()"),
        (_RECORD, "the salt is always the same", "SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }", "[UInt8](repeating: 7, count: 16)"),
        (_RECORD, "messages are longer than a record", "size - headBytes - keyIDBytes - tailBytes", "size - headBytes - keyIDBytes"),
        (_ENCRYPTED, "messages go out as they are", "Array(box.ciphertext)", "(plaintext + [2])"),
    ],
    "Sources/SaunterReminders/Push/PushSubscription.swift": [
        (_SUBSCRIPTION, "keys off the curve are taken", "(try? P256.KeyAgreement.PublicKey(x963Representation: point)) == nil", "point.isEmpty"),
        (_SUBSCRIPTION, "secrets of any length are taken", "data.count == count", "true"),
        (_SUBSCRIPTION, "addresses inside are taken", "!rule.mayAllow(endpoint)", "false"),
    ],
    "Sources/SaunterReminders/Push/PushNote.swift": [
        (_PUSH, "notes are as long as they like", "bytes.count <= most", "true"),
        (_PUSH, "notes name occasions without end", "occasions.prefix(Self.mostOccasions)", "occasions.prefix(Int.max)"),
        (_PUSH, "each note has a topic of its own", "about", "message.description", "\\(enrolment)|\\(about)"),
    ],
    "Sources/SaunterReminders/Push/PushSender.swift": [
        (_PUSH, "services keep messages for ever", "min(max(left, 0), Self.mostSeconds)", "max(left, 0)"),
        (_PUSH, "services keep what is over", "min(max(left, 0), Self.mostSeconds)", "min(left, Self.mostSeconds)"),
        (_PUSH, "nothing is urgent", '"high"', '"normal"'),
        (_PUSH, "what is gone is tried again", ".gone", ".temporaryFailure(code: 410)", "case .status(404, _), .status(410, _): .gone"),
        (_PUSH, "a refusal of now is one for good", "passing.contains(code)", "false"),
        (_PUSH, "what was refused is tried again", ".permanentFailure(code: code)", ".temporaryFailure(code: code)"),
        (_PUSH, "what may have arrived is sent again", ".unknown", ".temporaryFailure(code: nil)", "case .lost: .unknown"),
        (_PUSH, "a refused address is tried again", ".permanentFailure(code: nil)", ".temporaryFailure(code: nil)", "case .addressRefused: .permanentFailure(code: nil)"),
        (_PUSH, "what reached one device is sent again to another", "outcomes.contains(.accepted)", "outcomes.last == .accepted"),
        (_PUSH, "what may have reached one device is sent again", "outcomes.contains(.unknown)", "false"),
        (_PUSH, "of two services that ask to wait the slower is heeded", "waits.min()", "waits.max()"),
        (_STEP, "a stored device is not judged again", "PushSubscription(device.content, rule: rule)",
         'PushSubscription(device.content, rule: OutwardRule("0.0.0.0/0") ?? rule)'),
    ],
    "Sources/SaunterReminders/Webhook/WebhookSecret.swift": [
        (_SECRET, "the time is not signed", "timestamp", "0", "\\(id).\\(timestamp)."),
        (_SECRET, "the id is not signed", "id", '""', "\\(id).\\(timestamp)."),
        (_SECRET, "the body is not signed", "Data(body)", "Data()"),
        (_SECRET, "secrets may be short", "Self.bounds.contains(data.count)", "!data.isEmpty"),
        (_SECRET, "all made secrets are one", "SymmetricKey(size: .bits256)", "SymmetricKey(data: [UInt8](repeating: 7, count: 32))"),
    ],
    "Sources/SaunterReminders/Webhook/WebhookNote.swift": [
        (_STEP, "each attempt has an id of its own", "message", "Mutated.message()", "msg_\\(message)"),
    ],
    "Sources/SaunterReminders/Webhook/WebhookSender.swift": [
        (_STEP, "an address that is unknown today is taken for gone", "404", "418", "if case .status(404, _) = reply"),
        (_STEP, "the signature is of another moment", "secret.signature(id: note.id, timestamp: timestamp, body: body)",
         "secret.signature(id: note.id, timestamp: 0, body: body)"),
    ],
    "Sources/SaunterReminders/ReminderStep+Sending.swift": [
        (_GONE, "devices that are gone are kept", "gone", "[StoredPushSubscription]()", "for device in gone"),
        (_STEP, "devices that are gone are kept", "gone", "[StoredPushSubscription]()", "for device in gone"),
        (_STEP, "a disabled webhook is called", "webhook.disabledAt == nil", "true"),
        (_HOOK, "a webhook is told the name", "draft.enrolment.participantID", "draft.recipient.name", "name: draft.enrolment.participantID"),
        (_HOOK_GONE, "a webhook that is gone goes on", "true", "false", "isGone: true"),
        (_STEP, "a channel that failed for good is tried again", "earlier[channel.rawValue]?.isOver != true", "true"),
        (_STEP, "a service that asks to wait is asked before", "max($0, earliest)", "$0"),
        (_STEP, "what may have gone out by one channel goes out by the next", '.unknown', '.failed', 'ReminderOutcome(.unknown, .connectionLost)'),
        (_STEP, "a study's failures are a person's", "channel != .webhook", "true"),
    ],
    "Sources/SaunterServer/Channels/WebhookRoutes.swift": [
        (_HOOK_REFUSED, "webhooks inside are taken", "context.configuration.outward.mayAllow(url)", "true"),
    ],
}

# More that goes into the copies of targets with mutants, where they need it.
BESIDE = {
    "Sources/SaunterCore": """
enum Mutated {
    static func holds(_ ranges: [AddressRange], but text: String, _ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) && $0 != AddressRange(text) }
    }
}
""",
    "Sources/SaunterReminders": """
import SaunterCore
import Synchronization

enum Mutated {
    private static let known = Mutex<Set<String>>([])

    /// Judges a name by its first address alone.
    static func once(_ host: String, _ isAllowed: Bool) -> Bool {
        known.withLock { known in
            if isAllowed { known.insert(host) }
            return known.contains(host)
        }
    }

    static func message() -> MessageID { MessageID(UUID()) }
}
""",
}
