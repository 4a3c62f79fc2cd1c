import { render } from "preact";

render(<p>toolmount</p>, document.getElementById("app")!);
