// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostServer
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// The signature, held to the examples of Amazon's documentation.
struct S3SignatureTests {
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let date = "20130524T000000Z"
    private static let signature = S3Signature(
        keys: S3Keys(
            id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")

    private static func headers(_ more: [(String, String)] = [], hash: String = empty)
        -> HTTPHeaders
    {
        var headers: HTTPHeaders = [
            "Host": "examplebucket.s3.amazonaws.com", "X-Amz-Content-Sha256": hash,
            "X-Amz-Date": date,
        ]
        for (name, value) in more { headers.append(name, value) }
        return headers
    }

    @Test func `a read of a range is signed as in the documentation`() {
        let text = Self.signature.authorization(
            of: .init(
                method: "GET", path: "/test.txt", headers: Self.headers([("Range", "bytes=0-9")])),
            at: Self.date)
        #expect(
            text == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                + "aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `a stored file is signed as in the documentation`() {
        let hash = Digest.sha256("Welcome to Amazon S3.")
        #expect(hash == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        let headers = Self.headers(
            [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], hash: hash)
        let text = Self.signature.authorization(
            of: .init(method: "PUT", path: "/test%24file.text", headers: headers, bodyHash: hash),
            at: Self.date)
        #expect(
            text.hasSuffix(
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
    }

    @Test(arguments: [
        (
            [QueryItem("lifecycle", "")],
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            [QueryItem("prefix", "J"), QueryItem("max-keys", "2")],
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ])
    func `a query is signed as in the documentation, in any order`(
        query: [QueryItem], signature: String
    ) {
        let text = Self.signature.authorization(
            of: .init(method: "GET", path: "/", query: query, headers: Self.headers()),
            at: Self.date)
        #expect(text.hasSuffix("Signature=" + signature))
    }

    @Test func `the example of all services is signed as in the documentation`() {
        let keys = S3Keys(
            id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let date = "20150830T123600Z"
        let text = S3Signature(keys: keys, region: "us-east-1", service: "service").authorization(
            of: .init(
                method: "GET", path: "/",
                headers: ["Host": "example.amazonaws.com", "X-Amz-Date": date]), at: date)
        #expect(
            text.hasSuffix(
                "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"))
    }

    @Test(arguments: [
        (0, "19700101T000000Z"), (1_369_353_600, "20130524T000000Z"),
        (1_709_210_096, "20240229T123456Z"), (253_402_300_799, "99991231T235959Z"),
    ])
    func `a moment is written as the signature wants it`(seconds: Int64, text: String) {
        #expect(S3Signature.date(seconds) == text)
    }

    @Test func `the keyed hash has the codes of RFC 4231`() {
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        for (message, key, code) in [
            (
                Array("what do ya want for nothing?".utf8), Array("Jefe".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                long, [UInt8](repeating: 0xAA, count: 131),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] {
            #expect(Digest.hex(Digest.hmacSHA256(message, key: key)) == code)
        }
    }

    @Test func `no description shows a key`() {
        let keys = S3Keys(id: "AKIDEXAMPLE", secret: "hush-hush", sessionToken: "lent-token")
        var settings = S3Settings(
            endpoint: "http://a", region: "r", bucket: "b", prefix: "", keys: keys)
        settings.partBytes = 1
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), "\(settings)", dumped] {
            for secret in ["AKIDEXAMPLE", "hush-hush", "lent-token"] {
                #expect(!text.contains(secret))
            }
        }
    }
}

struct S3DocumentTests {
    private static func document(_ text: String) -> S3Document? { S3Document(Array(text.utf8)) }

    @Test func `an answer gives its root and the texts below it`() throws {
        let answer = try #require(
            Self.document(
                """
                <?xml version="1.0" encoding="UTF-8"?>

                <InitiateMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                <!-- a > b --><Bucket>chat-files</Bucket><Key >roost/1</Key>
                <UploadId>a&amp;b&lt;&#34;&#x41;&gt;&apos;&quot;</UploadId>
                <Owner><ID>1</ID></Owner><Empty/><Bucket>second</Bucket>
                </InitiateMultipartUploadResult>
                """))
        #expect(answer.root == "InitiateMultipartUploadResult")
        #expect(answer.fields["Bucket"] == "chat-files")
        #expect(answer.fields["Key"] == "roost/1")
        #expect(answer.fields["UploadId"] == "a&b<\"A>'\"")
        #expect(answer.fields["Empty"] == "")
        #expect(answer.fields["ID"] == nil)
    }

    @Test(arguments: [
        "", " ", "words", "<", "<a", "<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a/><b/>",
        "<a/>x",
        "<a>&lol;</a>x", "<a><b>&lol;</b></a>", "<a><b>&#1114112;</b></a>", "<a><b>&</b></a>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a><![CDATA[x]]></a>", "<a b=\"></a>", "< a/>",
        "<?xml", "<!-- <a/>", "<a><b", "<a><b>", "<a <b/></a>",
    ])
    func `a malformed document is none`(text: String) {
        #expect(Self.document(text) == nil)
    }

    @Test func `a document is bounded in depth, names, texts and size`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(Self.document(nested(8)) != nil)
        #expect(Self.document(nested(9)) == nil)
        func named(_ count: Int) -> String { "<\(String(repeating: "n", count: count))/>" }
        #expect(Self.document(named(64)) != nil)
        #expect(Self.document(named(65)) == nil)
        func text(_ count: Int) -> String {
            "<a><b>\(String(repeating: "t", count: count))</b></a>"
        }
        #expect(Self.document(text(2_048)) != nil)
        #expect(Self.document(text(2_049)) == nil)
        let fields = (0..<100).map { "<b\($0)/>" }.joined()
        #expect(Self.document("<a>\(fields)</a>")?.fields.count == 64)
        let blank = String(repeating: " ", count: S3Document.byteLimit)
        #expect(Self.document("<a/>" + blank) == nil)
    }

    @Test func `no document of a stranger harms the reader`() {
        var mutator = Mutator(
            seed: Mutator.seed,
            samples: [
                "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>a &amp; b</Message>"
                    + "<Region>eu-west-1</Region></Error>",
                "<A x='1'><UploadId>&#34;&#x41;</UploadId><B><C/></B><!-- c --></A>",
            ], words: ["<", ">", "/>", "</", "<!--", "-->", "<?", "?>", "&", ";", "\"", "'", "&#x"])
        for _ in 0..<Mutator.rounds {
            let bytes = mutator.next()
            let document = S3Document(bytes)
            for value in document?.fields.values.map({ $0 }) ?? [] {
                #expect(value.utf8.count <= 3 * 2_048)
            }
        }
    }
}

struct S3SettingsTests {
    private static let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]

    private static func read(
        _ location: String, _ more: [String: String] = ["AWS_REGION": "eu-central-1"]
    ) throws(StorageError) -> S3Settings {
        try S3Settings(
            location: location, environment: keys.merging(more) { _, change in change })
    }

    @Test func `a location and the environment give the place and the keys`() throws {
        let amazon = try Self.read("s3://chat-files/roost/a.b")
        #expect(amazon.bucket == "chat-files" && amazon.prefix == "roost/a.b/")
        #expect(amazon.endpoint == "https://s3.eu-central-1.amazonaws.com")
        #expect(amazon.region == "eu-central-1")
        #expect(amazon.keys.id == "key" && amazon.keys.secret == "secret")
        #expect(amazon.keys.sessionToken == nil && amazon.authoritiesFile == nil)
        let own = try Self.read(
            "s3://files/",
            [
                "AWS_ENDPOINT_URL": "http://all:1", "AWS_ENDPOINT_URL_S3": "https://store:9000/s3/",
                "AWS_SESSION_TOKEN": "token", "AWS_CA_BUNDLE": "ca.pem", "AWS_REGION": "",
            ])
        #expect(own.bucket == "files" && own.prefix == "")
        #expect(own.endpoint == "https://store:9000/s3" && own.region == "us-east-1")
        #expect(own.keys.sessionToken == "token" && own.authoritiesFile == "ca.pem")
        #expect(
            try Self.read("s3://files", ["AWS_ENDPOINT_URL": "http://all:1/"]).endpoint
                == "http://all:1")
        #expect(
            try Self.read("S3://files", ["AWS_DEFAULT_REGION": "cn-north-1"]).endpoint
                == "https://s3.cn-north-1.amazonaws.com.cn")
    }

    @Test(arguments: [
        "s3://", "s3:///a", "s3://ab", "s3://UPPER", "s3://under_score", "s3://-abc", "s3://.abc",
        "s3://abc//d", "s3://abc/..", "s3://abc/./d", "s3://abc/a b", "s3://abc/ä", "s3://abc/a?b",
        "s3://abc/%41", "s3://abc/" + String(repeating: "a", count: 600),
    ])
    func `a location that is none is refused with the right form`(location: String) {
        #expect(S3Settings.isLocation(location))
        #expect { try Self.read(location) } throws: {
            ($0 as? StorageError)?.message.contains("s3://BUCKET/PREFIX") == true
        }
    }

    @Test(arguments: [
        (["AWS_ACCESS_KEY_ID": ""], "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        (["AWS_SECRET_ACCESS_KEY": ""], "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        (["AWS_SECRET_ACCESS_KEY": "hush\n"], "AWS_SECRET_ACCESS_KEY holds"),
        (["AWS_SESSION_TOKEN": "hush hush"], "AWS_SESSION_TOKEN holds"),
        ([:], "AWS_REGION"), (["AWS_REGION": "eu/1"], "AWS_REGION"),
        (["AWS_REGION": "a.example"], "AWS_REGION"),
        (["AWS_ENDPOINT_URL": "store:9000"], "AWS_ENDPOINT_URL wants"),
        (["AWS_ENDPOINT_URL_S3": "ftp://a"], "AWS_ENDPOINT_URL_S3 wants"),
        (["AWS_ENDPOINT_URL": "https://a/?b"], "AWS_ENDPOINT_URL wants"),
        (["AWS_ENDPOINT_URL": "https://hush:hush@a"], "AWS_ENDPOINT_URL wants"),
        (["AWS_ENDPOINT_URL": "https://a/../b"], "AWS_ENDPOINT_URL wants"),
    ])
    func `a wrong environment is refused by the variable's name, without its value`(
        environment: [String: String], words: String
    ) {
        #expect { try Self.read("s3://files/roost", environment) } throws: {
            guard let message = ($0 as? StorageError)?.message else { return false }
            return message.contains(words) && !message.contains("hush")
        }
    }

    @Test(arguments: [(1, 5_242_880), (1_024, 5_242_880), (1_048_576, 109_962_159)])
    func `parts are so large that the largest file fits`(limit: Int, part: Int) throws {
        let settings = try Self.read("s3://files").fitting(fileLimitMB: limit)
        #expect(settings.partBytes == part)
        #expect(settings.partBytes * 10_000 >= limit * 1_048_576)
    }

    @Test func `a folder is no location of a bucket`() {
        for text in ["/srv/files", "files", "s3", "s3:/a", "./s3://a"] {
            #expect(!S3Settings.isLocation(text))
        }
    }
}
