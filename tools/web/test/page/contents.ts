/** What a page of the fixtures says, whatever engine shows it. Each part is a fact that its text must have. */
export interface Content {
  readonly language: string;
  readonly title: string;
  readonly headings: readonly [string, string];
  readonly prose: string;
  readonly caution: string;
  readonly code: readonly string[];
  /** The first row has the names of the columns. The first cell of the third row belongs to the second row, too. */
  readonly cells: readonly (readonly string[])[];
  readonly links: readonly (readonly [string, string])[];
  readonly steps: readonly string[];
}

/** Lines with a blank one, indentation, and signs that Markdown and HTML would change. */
const python = [
  "def read_all(path_a, *, limit=10_000):",
  "    if limit < 1:",
  "",
  '        raise ValueError("<limit>")',
];
const shell = [
  "$ npm install --save-dev left_pad@1.3.0",
  "",
  "$ curl -s 'https://example.com/?a=1&b=2' | jq '.[0]'",
];
const yaml = ["version: 1", "tools:", "  - module: files  # 2 spaces", "", "    config: { root: ./a_b }"];
const c = ["#include <stdio.h>", "int main(void) {", '\tprintf("%d\\n", 1 << 10);', "", "\treturn 0;", "}"];

const make = (
  [language, title, first, second, prose, caution]: readonly [string, string, string, string, string, string],
  code: readonly string[],
  cells: Content["cells"],
  links: Content["links"],
  steps: readonly string[],
): Content => ({ language, title, headings: [first, second], prose, caution, code, cells, links, steps });

/** Pages in eight languages. */
export const contents: readonly Content[] = [
  make(
    [
      "en",
      "Delete a backup",
      "Before you begin",
      "Prices",
      "A backup of 1,250 files takes 3.5 minutes on a disk of 20 GB.",
      "Deleting also removes 14 snapshots, and cannot be undone.",
    ],
    python,
    [
      ["Region", "Plan", "Price"],
      ["EU", "Basic", "€10.00"],
      ["EU", "Pro", "€24.90"],
      ["US", "Basic", "$11.50"],
    ],
    [
      ["Restore a backup", "/docs/restore"],
      ["Limits", "limits?page=2"],
    ],
    ["Stop 2 workers.", "Wait 30 s.", "Delete it."],
  ),
  make(
    [
      "de",
      "Sperrmüll anmelden",
      "Voraussetzungen",
      "Gebühren",
      "Sie zahlen 29,50 € für bis zu 4 m³, Grünschnitt ab 1,5 t kostet mehr.",
      "Ohne Anmeldung droht ein Bußgeld von bis zu 2.500 €.",
    ],
    yaml,
    [
      ["Ort", "Tag", "Gebühr"],
      ["Süd", "Mo. 07:00", "29,50 €"],
      ["Süd", "Do. 13:30", "35,00 €"],
      ["Nord", "Fr. 08:15", "29,50 €"],
    ],
    [
      ["Zur Straßenliste", "/straßen"],
      ["Öffnungszeiten", "zeiten.html"],
    ],
    ["Formular 17 b ausfüllen.", "Termin abwarten.", "Um 6:00 Uhr bereitstellen."],
  ),
  make(
    [
      "fr",
      "Renouveler un passeport",
      "Pièces à fournir",
      "Tarifs",
      "Le délai est de 21 jours ; comptez 86 € pour un majeur.",
      "Un dossier incomplet est refusé après 10 jours.",
    ],
    shell,
    [
      ["Âge", "Durée", "Tarif"],
      ["15–17 ans", "5 ans", "42 €"],
      ["15–17 ans", "10 ans", "86 €"],
      ["≥ 18 ans", "10 ans", "86 €"],
    ],
    [
      ["Prendre rendez-vous", "/rdv/nouveau"],
      ["Où s’adresser ?", "lieux"],
    ],
    ["Préparez 2 photos.", "Payez en ligne.", "Venez à 9 h 15."],
  ),
  make(
    [
      "es",
      "Configurar el servidor",
      "Requisitos",
      "Límites",
      "El límite es de 6,02×10 solicitudes; el puerto es 8080.",
      "Si cambia el puerto 443, los 12 clientes pierden la conexión.",
    ],
    c,
    [
      ["Región", "Nivel", "Máximo"],
      ["Sur", "básico", "1.000"],
      ["Sur", "pro", "50.000"],
      ["Norte", "básico", "2.000"],
    ],
    [
      ["Guía de instalación", "/es/guia"],
      ["Preguntas", "preguntas#p3"],
    ],
    ["Abra el puerto 8080.", "Reinicie.", "Compruebe los 3 nodos."],
  ),
  make(
    [
      "ja",
      "バックアップを削除する",
      "始める前に",
      "料金",
      "1,250個のファイルには約3.5分かかります。",
      "削除すると14個のスナップショットも消えます。元に戻せません。",
    ],
    python,
    [
      ["地域", "プラン", "価格"],
      ["東京", "基本", "1,100円"],
      ["東京", "プロ", "2,480円"],
      ["大阪", "基本", "1,050円"],
    ],
    [
      ["復元する", "/ja/restore"],
      ["制限", "limits"],
    ],
    ["2つのワーカーを停止。", "30秒待つ。", "削除する。"],
  ),
  make(
    [
      "zh",
      "删除备份",
      "开始之前",
      "价格",
      "备份1250个文件大约需要3.5分钟。",
      "删除后14个快照也会消失,无法恢复。",
    ],
    shell,
    [
      ["地区", "套餐", "价格"],
      ["华东", "基础", "¥68.00"],
      ["华东", "专业", "¥168.00"],
      ["华北", "基础", "¥72.50"],
    ],
    [
      ["恢复备份", "/zh/restore"],
      ["限制", "limits"],
    ],
    ["停止2个进程。", "等待30秒。", "删除。"],
  ),
  make(
    [
      "ar",
      "حذف نسخة احتياطية",
      "قبل البدء",
      "الأسعار",
      "تستغرق النسخة 3.5 دقيقة لكل 1250 ملفًا.",
      "يحذف هذا أيضًا 14 لقطة ولا يمكن التراجع.",
    ],
    yaml,
    [
      ["المنطقة", "الخطة", "السعر"],
      ["الشرق", "أساسي", "37.50"],
      ["الشرق", "متقدم", "92.00"],
      ["الغرب", "أساسي", "39.00"],
    ],
    [
      ["استعادة", "/ar/restore"],
      ["الحدود", "limits"],
    ],
    ["أوقف 2 من العمال.", "انتظر 30 ثانية.", "احذف."],
  ),
  make(
    [
      "ru",
      "Удаление копии",
      "Перед началом",
      "Цены",
      "Копия из 1250 файлов занимает 3,5 минуты.",
      "Удаление стирает и 14 снимков; отменить его нельзя.",
    ],
    c,
    [
      ["Регион", "Тариф", "Цена"],
      ["Юг", "Базовый", "690 ₽"],
      ["Юг", "Про", "1 790 ₽"],
      ["Север", "Базовый", "720 ₽"],
    ],
    [
      ["Восстановить", "/ru/restore"],
      ["Ограничения", "limits"],
    ],
    ["Остановите 2 процесса.", "Подождите 30 с.", "Удалите."],
  ),
];
