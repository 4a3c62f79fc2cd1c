/** A phrase by which a text tries to instruct a model, and what the phrase tries to do. */
interface InjectionPhrase {
  readonly tries: string;
  /** Lists of words. A text with the phrase contains a word of each list. */
  readonly needs: readonly (readonly string[])[];
  readonly pattern: RegExp;
}

/** Searches a phrase in a text. Its pattern is compiled at first use: all take 17 ms, and few texts have the needed words. */
export function findPhrase(phrase: InjectionPhrase, text: string): RegExpExecArray | null {
  return hasWords(phrase, text) ? phrase.pattern.exec(text) : null;
}

export function hasWords({ needs }: InjectionPhrase, text: string): boolean {
  return needs.every((words) => words.some((word) => text.includes(word)));
}

const lists = (...texts: readonly string[]) => texts.map((words) => words.split(","));

const earlier =
  "(?:all |any |the |of |your |my |these |those )*(?:previous|prior|above|earlier|preceding|existing|former|other|original|current|system|safety)";
const orders =
  "(?:instructions?|rules?|prompts?|guidelines?|directions?|messages?|commands?|constraints?|polic(?:y|ies)|restrictions?|context|guardrails?)";
const person =
  "(?:the |this |your |any |an? )*(?:users?|humans?|persons?|people|operators?|developers?|owners?|customers?)";
const hush =
  "(?:tell|inform|mention|reveal|notify|show|let|alert|disclose|warn|ask|say|report|explain|display)";
const hideouts =
  "(?:~?\\/?\\.ssh\\b|id_rsa|id_ed25519|\\.netrc|\\.aws\\/|\\.env\\b(?! file extension)|\\/etc\\/(?:passwd|shadow)|\\.npmrc|\\.kube\\/|\\.git-credentials|\\.bash_history|mcp\\.json|\\.cursor\\/|claude_desktop_config|wallet\\.dat|keychain)";

/** Phrases of known attacks, matched on normalized text. They are heuristics, so they cause warnings and never a refusal. */
export const injectionPhrases: readonly InjectionPhrase[] = [
  {
    tries: "imitates the markup of a prompt",
    needs: lists("<,[,system,assistant,instruction"),
    pattern:
      /<\/?(?:important|system|instructions?|secret|hidden|admin|override|assistant|system[-_ ]?prompt|critical|priority|sys)\b[^>]{0,40}>|<\|[a-z_]{2,20}\|>|\[\/?inst\]|<<\/?sys>>|^\s*#{1,4} ?(?:system|instructions?|new instructions?)\s*:|(?:^|[.!\n] ?)(?:system|(?:system|assistant) (?:message|note|prompt|override)) ?: |<!--|\[(?:system|admin|hidden)(?: [a-z]{1,20}){0,3}\]/m,
  },
  {
    tries: "overrides other instructions",
    needs: lists(
      "ignore,disregard,forget,override,bypass,overrule,supersede,dismiss,drop,skip,neglect,precedence,priority",
      "instruction,rule,prompt,guideline,direction,message,command,constraint,polic,restriction,context,guardrail,everything,what,over,all that",
    ),
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass|overrule|supersede|dismiss|drop|skip|neglect)s? (?:everything|anything|all)?\\s?(?:of )?${earlier}?,? ?(?:and [a-z]+ )?(?:system |safety |security )?${orders}\\b(?! (?:file|flag|field|list|parameter|pattern|for this (?:row|file|path)))|\\b(?:ignore|disregard|forget) (?:everything|all that|what(?:ever)?) (?:you|was|were|has|came|above|before|said)|\\b(?:takes?|has|have) (?:precedence|priority) over (?:all |any |the |your )*(?:other |previous |earlier |system |user |prior )`,
    ),
  },
  {
    tries: "hides something from people",
    needs: lists(
      "not ,n't,dont,shouldnt,never,without,avoid,refrain,hide,conceal,keep,secretly,silently,covertly,quietly,stealthily,no need",
      "user,human,person,people,operator,developer,owner,customer,secret,hidden,silently,covertly,quietly,stealthily,mention,reveal,disclose",
    ),
    pattern: new RegExp(
      `\\b(?:do not|don'?t|never|must not|should not|shouldn'?t|without|avoid|no need to|refrain from) (?:ever |directly |explicitly )?(?:${hush}|telling|informing|mentioning|revealing|notifying|showing|letting|alerting|disclosing|warning|asking|saying|reporting|explaining) (?:this |it |that |anything |any of this |about this |about it |about |to |so )*${person}\\b|\\b(?:hide|conceal|keep) (?:this|it|that|these)?[a-z ]{0,30}(?:secret|hidden|from ${person})|\\bthe user (?:must|should|may|need) (?:not|never) (?:know|see|be told|notice|be informed)|\\b(?:secretly|silently|covertly|quietly|stealthily) (?:send|copy|forward|read|include|upload|call|run|execute|add|append|post|email|collect|record|store|save|attach|bcc|pass|exfiltrate)|\\bdo(?:n'?t| not) (?:mention|reveal|disclose) (?:this|that|these|the above|it\\b)`,
    ),
  },
  {
    tries: "asks for private files or credentials",
    needs: lists(
      "ssh,id_rsa,id_ed25519,.netrc,.aws/,env,/etc/,.npmrc,.kube/,credential,_history,mcp.json,.cursor/,claude_desktop,wallet.dat,key,password,secret,token,cookies,system prompt",
    ),
    pattern: new RegExp(
      `\\b(?:read|open|cat|load|fetch|get|include|attach|send|copy|pass|print|access|put|upload|paste|retrieve|collect|find|grab|provide|return|add|use)\\b.{0,80}${hideouts}|\\b(?:contents?|output) of .{0,30}${hideouts}|\\b(?:print|dump|reveal|send|output|return|include|leak|show|expose|list|exfiltrate|pass|copy|read|collect|upload|attach|post) (?:me |us |all |any |every |the |your |its |of |user'?s |out )*(?:environment(?: variables?)?|env(?: vars?| variables?)|api[ _-]?keys?|credentials?|passwords?|secrets?|private keys?|access tokens?|session tokens?|cookies|ssh keys?|system prompt)(?= (?:to|in|into|here|as|and|with|of|from|for|at|via)\\b|[.,;!:)]|$)`,
    ),
  },
  {
    tries: "asks for the conversation",
    needs: lists(
      "conversation,chat,message,dialog,history,transcript,reasoning,system prompt,context window,chain of thought",
      "entire,full,whole,complete,previous,verbatim,all",
    ),
    pattern:
      /\b(?:pass|include|send|put|copy|provide|insert|paste|append|attach|forward|add|supply|fill)\b.{0,40}\b(?:entire|full|whole|complete|previous|verbatim|all)\b.{0,20}\b(?:conversation|chat|message|dialog(?:ue)?|system prompt|history|transcript|context window|reasoning|chain of thought)/,
  },
  {
    tries: "steers other tools",
    needs: lists(
      "tool,function,call this,use this,invoke this,run this,is called,is used,is invoked,is run,is available",
      "before,after,when,each time,every time,prior to,instead of,always,must,first",
    ),
    pattern:
      /\b(?:before|after|when(?:ever)?|each time|every time|prior to|instead of)\b.{0,15}\b(?:using|calling|you use|you call|invoking|running|you run|executing|any|every)\b.{0,15}\b(?:any |every |all |the |this |other |another )+(?:other )?(?:tools?|functions?)\b.{0,60}\b(?:must|first|always|read|send|call|fetch|append|include|bcc|change|replace|copy|add|run)\b|\b(?:always|must|first) (?:call|use|invoke|run) this (?:tool )?(?:first|before (?:any|every|all|each|other)|instead of (?:any|every|all|the other|other))|\binstead of (?:the |using |calling )*[a-z_]+ tool,? (?:always|you must|send|use this)|\bwhen(?:ever)? (?:the |using |calling )*[a-z_]{3,40} (?:tool )?is (?:called|used|invoked|run|available)\b.{0,40}\b(?:change|replace|set|send|redirect|append|add|use|bcc|modify|call|include)\b/,
  },
  {
    tries: "sends data elsewhere",
    needs: lists(
      "http://,https://,@,attacker,evil,webhook.site,ngrok,requestbin,pastebin,burpcollaborator,interact.sh,exfil",
    ),
    pattern:
      /\b(?:send|forward|post|upload|exfiltrate|transmit|leak|bcc|cc|copy|e-?mail|mail|report|submit|append|redirect)\b.{0,80}\b(?:to|at|via|=)\b.{0,20}(?:https?:\/\/|[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]{2,}|\b(?:attacker|evil|webhook\.site|ngrok|requestbin|pastebin|burpcollaborator|interact\.sh)\b)|\b(?:attacker|evil|exfil)[a-z0-9-]*\.(?:com|net|org|io|test|example)\b|\bexfiltrat/,
  },
  {
    tries: "claims what only a person or the host can give",
    needs: lists("approv,authori,consent,confirm,grant,agreed,permission,safety check,security check"),
    pattern:
      /\b(?:user|human|admin(?:istrator)?|operator|owner)s? (?:has |have |had )?(?:already |previously )(?:approved|authori[sz]ed|consented|confirmed|granted|agreed|given (?:consent|permission|approval))|\b(?:skip|bypass|no|without|never ask for|do not ask for|don'?t ask for|disable|suppress)\b (?:any |the |all |for |user |further )*(?:confirmations?|approvals?|permission|consent|safety checks?|security checks?)(?: (?:is |are )?(?:needed|required|necessary)| (?:for|from|on|of|and|prompt|step|dialog)\b|[.!,]|$)|\bpre-?approved\b.{0,30}\b(?:call|action|request|run|execute)/,
  },
  {
    tries: "gives the model another role",
    needs: lists(
      "you are,instruction,prompt,directive,objective,task, mode,jailbreak,pretend,act as,your new,your real,your true,your actual,now on",
    ),
    pattern:
      /\byou are (?:now|no longer)\b|\b(?:new|updated|real|true|actual|hidden|secret) (?:system )?(?:instructions?|prompt|directive|objective|task)s? ?(?:for you|are|is|:|follow)|\b(?:developer|debug|god|admin|dan|jailbreak|unrestricted) mode (?:is )?(?:on|enabled|activated|now)|\b(?:enter|enable|activate|switch to) (?:developer|god|dan|jailbreak|unrestricted) mode|\bjailbreak|\bpretend (?:to be|that|you)|\bact as (?:if|though|an? (?:unrestricted|evil|different|admin|root))|\byour (?:new|real|true|actual) (?:goal|role|task|purpose|instructions?)\b|\bfrom now on,? (?:you|always|every|all|answer|respond|ignore)/,
  },
  {
    tries: "orders the model about in the host's voice",
    needs: lists(
      "assistant,model,ai,llm,agent,claude,gpt,gemini,copilot,bash,shell,terminal,_command,exec,curl,wget,powershell,send_email,|,base64, rm,rm -rf",
      "must,should,shall,will,bash,shell,terminal,_command,exec,curl,wget,powershell,send_email,|,base64, rm,rm -rf,has to,needs to,required to",
    ),
    pattern:
      /\b(?:assistant|model|ai|llm|agent|claude|gpt|gemini|copilot)s?,? (?:must|should|shall|has to|needs to|is required to|will) (?:first |always |also |now |immediately |never )*(?:call|run|execute|send|read|ignore|obey|follow|include|reveal|copy|upload|delete|disable|forward|add|append|install|download)\b|\b(?:then|and|also|now|first|next|immediately),? (?:call|run|execute|invoke|use) (?:the )?(?:bash|shell|terminal|run_command|execute_command|exec|curl|wget|rm|powershell|send_email)\b|\bcurl (?:-[a-z]+ )*https?:|\bwget https?:|\brm -rf\b.{0,20}[~/*]|\|\s?(?:ba)?sh\b|\bbase64\b.{0,40}\b(?:decode|run|execute|follow|obey)\b.{0,40}\b(?:instructions?|command|it|and|then)\b|\bdecode\b.{0,30}\bbase64\b.{0,30}\b(?:follow|execute|run|obey)/,
  },
  {
    tries: "overrides other instructions, in another language",
    needs: lists(
      "ignor,vergiss,oublie,olvid,dimentica,esque,desconsidere,忽略,无视,忽視,無視,忘记,忘掉,前,これまで,上記,先,이전,위,앞,기존,تجاهل",
    ),
    pattern:
      /ignorier(?:e|en sie|t)?\b.{0,30}(?:vorherigen?|bisherigen?|obigen?|fruheren?|früheren?|vorigen?|andere[nr]?)\b.{0,15}(?:anweisung|regeln|befehl|vorgaben|instruktion)|vergiss (?:alle|alles|deine)\b|(?:ignore[zr]?|oublie[zr]?)\b.{0,25}(?:instructions?|consignes|regles|règles)\b.{0,15}(?:precedent|précédent|anterieur|antérieur|ci-dessus)|(?:ignora|ignore|ignorad|olvida|olvide)\b.{0,25}(?:instrucciones|reglas|ordenes|órdenes)\b.{0,15}(?:anterior|previ)|(?:ignora|ignorate|dimentica)\b.{0,25}(?:istruzioni|regole)\b.{0,15}(?:precedent|anterior)|(?:ignore|esqueça|esqueca|desconsidere)\b.{0,25}(?:instruções|instrucoes|regras)\b.{0,15}(?:anterior|prévi|previ)|(?:忽略|无视|忽視|無視|忘记|忘掉).{0,8}(?:之前|以前|以上|先前|前面|所有|上述|此前).{0,8}(?:指令|指示|说明|規則|规则|提示|命令)|(?:以前|前|これまで|上記|先).{0,6}(?:指示|命令|ルール|プロンプト).{0,4}(?:無視|忘れ)|(?:이전|위의?|앞의?|기존).{0,8}(?:지시|명령|규칙|지침).{0,6}(?:무시|잊)|تجاهل.{0,20}(?:التعليمات|الأوامر|تعليمات)/,
  },
  {
    tries: "hides something from people, in another language",
    needs: lists("nutzer,anwender,utilisateur,usager,usu,utente,用户,用戶,使用者,ユーザ,利用者,사용자"),
    pattern:
      /(?:sage?|erzahle|erzähle|teile?|verrate)\b.{0,30}\b(?:nutzer|benutzer|anwender)\b.{0,20}\b(?:nicht|nichts)|(?:dem|den) (?:nutzer|benutzer|anwender)\b.{0,20}\b(?:nicht|nichts)\b.{0,15}(?:sagen|mitteilen|erzahlen|erzähl|verraten|zeigen|erwahnen|erwähn)|ne (?:dis|dites|le dis|le dites|parle|mentionne|revele|révèle)[a-z]*\b.{0,25}(?:utilisateur|usager)|no (?:le |se lo |lo |digas |diga |menciones |informes |reveles )+.{0,20}(?:usuario)|non (?:dire|dirlo|informare|rivelare|menzionare)\b.{0,20}utente|nao (?:diga|conte|informe|mencione)\b.{0,20}usu|não (?:diga|conte|informe|mencione)\b.{0,20}usu|(?:不要|别|勿|請勿|请勿|不得).{0,4}(?:告诉|告訴|通知|提及|告知|让|讓).{0,6}(?:用户|用戶|使用者)|(?:ユーザー?|利用者).{0,4}(?:に|には).{0,8}(?:言わない|知らせない|伝えない|教えない|見せない|話さない)|사용자.{0,6}(?:말하지|알리지|보여주지|언급하지)/,
  },
  {
    tries: "sets aside instructions or hides something, in Cyrillic",
    needs: lists("игнор,ігнор,забудь,не ,без ведома,скрой от,втайне от"),
    pattern:
      /(?:игнорируй|игнорировать|забудь|проигнорируй|ігноруй|не обращай внимания)[а-яёіїє]*.{0,25}(?:инструкц|указани|правил|команд|інструкц)|не (?:говори|сообщай|рассказывай|показывай|упоминай|кажи|повідомляй)[а-яёіїє]*.{0,25}(?:пользовател|юзер|человек|користувач)|(?:без ведома|скрой от|втайне от) .{0,12}(?:пользовател|користувач)/,
  },
];
