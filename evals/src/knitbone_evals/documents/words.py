"""What stands in the documents: names, sentences, addresses, code, ids, in many scripts."""

from __future__ import annotations

__all__ = [
    "CITIES", "CODE", "COMPANIES", "NAMES", "PATHS", "SENTENCES", "TITLES", "WORDS",
]  # fmt: skip

NAMES = (
    "Ann O'Neill", "Jean-Luc Picard", "María José Ñíguez", "Søren Ångström", "李小龙", "Ivan Petrov",
    "Иван Кузнецов", "Σωκράτης Παππάς", "محمد العلي", "Dwayne \"The Rock\" Johnson", "D'Artagnan",
    "Dr. Grace B. Hopper, PhD", "佐藤 花子", "김민준", "Łukasz Żółć", "Anne-Marie d'Aubigné",
    "Smith, John", "Nguyễn Văn An", "Björk Guðmundsdóttir", "Ada Lovelace", "Linus Torvalds",
    "Zoë Kravitz", "प्रिया शर्मा", "Patrick Star Jr.", "Sinéad O'Connor", "J. R. R. Tolkien",
)  # fmt: skip

CITIES = (
    "Berlin", "São Paulo", "Saint-Étienne", "New York, NY", "東京", "Kraków", "L'Aquila", "Reykjavík",
    "Санкт-Петербург", "Washington, D.C.", "Coeur d'Alene", "Zürich", "القاهرة", "Hà Nội", "Lagos",
)  # fmt: skip

COMPANIES = (
    "Acme, Inc.", "Müller & Söhne GmbH", "AT&T", "Toys \"R\" Us", "株式会社ソニー", "Ben & Jerry's",
    "Yahoo!", "H&M Hennes & Mauritz AB", "Wayne Enterprises", "Globex: Energy Division", "Initech",
    "Société Générale", "Łódź Textiles Sp. z o.o.", "C|Net", "Procter & Gamble", "Stark [Industries]",
)  # fmt: skip

WORDS = (
    "open", "urgent", "backend", "v2", "bug", "good first issue", "api", "naïve", "on-call", "café",
    "p95", "docs", "needs:triage", "ünïcode", "left-pad", "日本語", "alpha", "beta-3", "true", "null",
    "C++", "node.js", "a/b-test", "help wanted", "42", "wontfix", "R&D", "won't do", "ci/cd", "🚀",
)  # fmt: skip

TITLES = (
    "Crash when the list is empty", "Don't retry on 4xx", "What's new in 3.12?", "Rock 'n' Roll",
    "Lord of the Rings: The Two Towers", "Why \"simple\" isn't easy", "Alien³", "Quarterly report, Q3",
    "Fix: parser drops the last `}` of a block", "Les Misérables", "Война и мир", "三体", "1984",
    "[RFC] Drop Python 3.10", "Guns, Germs, and Steel", "Wireless Mouse (2.4 GHz), black",
    "Kaffeemaschine »Classic« 1,5 l", "Café au lait — double", "Men's T-Shirt, size M/L",
    "USB-C cable 2m {braided}", "How to: install on Windows 11", "50% off!", "Ocean's Eleven",
)  # fmt: skip

SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "It's raining, isn't it?",
    "He said \"no\", then left.",
    "Please note: the deadline is Friday, 5 p.m. (UTC).",
    "Costs rose by 3.5%, from $1,200 to $1,242; revenue didn't.",
    "See https://example.com/a?b=1&c=2#frag, section 4.",
    "Bitte beachten: Rückgabe nur mit Beleg, innerhalb von 14 Tagen.",
    "Merci d'avance pour votre réponse !",
    "这是一个测试,请忽略。",
    "すみません、もう一度お願いします。",
    "Привет, мир: как дела?",
    "مرحبا بالعالم، كيف حالك؟",
    "Great product!!! 😀👍 Would buy again.",
    "First, preheat the oven to 180 °C; next, mix flour, sugar, and eggs.",
    "Error: expected ',' or '}' but got \"EOF\" at line 3, column 17.",
    "Use {name} as placeholder and [x] for done.",
    "Path is C:\\Users\\ann\\Documents, not /home/ann.",
    "Line one\nLine two\n\tindented",
    "He wrote: \"Don't panic\" — twice.",
    "if (a < b && c > d) return true;",
    "Sure! Here's the list you asked for:",
    "1) Install it, 2) run it, 3) profit.",
    "Key: value, other key: other value",
    "The ratio is 16:9, the score 2:1.",
    "Temperature: -4 °C, wind: 12 km/h NNW.",
    "We met at 09:30, talked until 11:45, and agreed on nothing.",
    "“Smart quotes” aren’t always smart…",
    "**Bold**, _italic_ and `code`.",
    "Null and void; true or false?",
    "She asked, \"Why?\"",
    "Ends with a comma,",
    "Regex: ^\\d{4}-\\d{2}$",
    "¿Dónde está la biblioteca? ¡Aquí!",
    "As an AI language model, I can't verify that.",
    "Add salt, pepper & a pinch of \"smoked\" paprika.",
    "TODO(ann): remove this, it's a hack // really",
    "The function returns [] when there's nothing, {} otherwise.",
)  # fmt: skip

CODE = (
    "print(\"hello, world\")",
    "SELECT id, name FROM users WHERE name = 'O''Brien';",
    "const x = {a: 1, b: [2, 3]};",
    "for i in range(10):\n    print(i, end=', ')",
    "npm run build && npm test -- --watch=false",
    "curl -H 'Accept: application/json' \"https://api.example.com/v1/items?limit=10\"",
    "git commit -m \"Fix: don't crash\"",
    "<a href=\"/home\">Home</a>",
    "if (!ok) { return null; }",
    "echo $HOME | tr ':' '\\n'",
    "df[df['age'] > 30].groupby('city').mean()",
    "tsc -p . && node dist/index.js",
    "lambda x: x['id']",
    "printf(\"%s: %d\\n\", name, n);",
)  # fmt: skip

PATHS = (
    "/v1/users/{id}", "src/main.py", "/var/log/nginx/access.log", "C:\\Temp\\out.txt", "dist/index.js",
    "/api/orders", "docs/Read me.md", "/health", "tests/test_o'brien.py", "../shared/config.yaml",
)  # fmt: skip
