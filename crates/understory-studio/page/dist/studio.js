var xh=0,Il=1,bh=2;var qs=1,Mh=2,ls=3,gi=0,Xt=1,gn=2,Di=0,cs=1,Ll=2,Nl=3,Dl=4,Sh=5;var Ui=100,wh=101,Th=102,Eh=103,Ah=104,Ch=200,Rh=201,Ph=202,Ih=203,Ul=204,Fl=205,Lh=206,Nh=207,Dh=208,Uh=209,Fh=210,Oh=211,Bh=212,kh=213,zh=214,Vr=0,Gr=1,Hr=2,ts=3,Wr=4,Xr=5,qr=6,$r=7,Ol=0,Vh=1,Gh=2,Un=0,Bl=1,kl=2,zl=3,Vl=4,Gl=5,Hl=6,Wl=7;var Xl=300,Fi=301,hs=302,So=303,wo=304,Yr=1e3,In=1001,Zr=1002,ct=1003,Hh=1004;var $s=1005;var Wt=1006,To=1007;var Kn=1008;var Dt=1009,ql=1010,$l=1011,us=1012,Eo=1013,an=1014,en=1015,wn=1016,Ao=1017,Co=1018,Oi=1020,Yl=35902,Zl=35899,Jl=1021,Kl=1022,Vt=1023,Yn=1026,jn=1027,Ro=1028,Po=1029,yi=1030,Io=1031;var Lo=1033,Ys=33776,Zs=33777,Js=33778,Ks=33779,No=35840,Do=35841,Uo=35842,Fo=35843,Oo=36196,Bo=37492,ko=37496,zo=37488,Vo=37489,js=37490,Go=37491,Ho=37808,Wo=37809,Xo=37810,qo=37811,$o=37812,Yo=37813,Zo=37814,Jo=37815,Ko=37816,jo=37817,Qo=37818,ea=37819,ta=37820,na=37821,ia=36492,sa=36494,ra=36495,oa=36283,aa=36284,Qs=36285,la=36286;var Ps=2300,Jr=2301,kr=2302,Sl=2303,wl=2400,Tl=2401,El=2402;var Wh=3200;var jl=0,Xh=1,Qn="",rn="srgb",Ri="srgb-linear",Is="linear",je="srgb";var zr=7680;var qh=519,$h=512,Yh=513,Zh=514,Ql=515,Jh=516,Kh=517,ec=518,tc=519,jh=35044,er=35048;var Tn="300 es",mn=2e3,Ls=2001;function kd(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function zd(i){return ArrayBuffer.isView(i)&&!(i instanceof DataView)}function Ns(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function Qh(){let i=Ns("canvas");return i.style.display="block",i}var Hc={},ns=null;function nc(...i){let e="THREE."+i.shift();ns?ns("log",e,...i):console.log(e,...i)}function eu(i){let e=i[0];if(typeof e=="string"&&e.startsWith("TSL:")){let t=i[1];t&&t.isStackTrace?i[0]+=" "+t.getLocation():i[1]='Stack trace not available. Enable "THREE.Node.captureStackTrace" to capture stack traces.'}return i}function Pe(...i){i=eu(i);let e="THREE."+i.shift();if(ns)ns("warn",e,...i);else{let t=i[0];t&&t.isStackTrace?console.warn(t.getError(e)):console.warn(e,...i)}}function Le(...i){i=eu(i);let e="THREE."+i.shift();if(ns)ns("error",e,...i);else{let t=i[0];t&&t.isStackTrace?console.error(t.getError(e)):console.error(e,...i)}}function Rs(...i){let e=i.join(" ");e in Hc||(Hc[e]=!0,Pe(...i))}function tu(i,e,t){return new Promise(function(n,s){function r(){switch(i.clientWaitSync(e,i.SYNC_FLUSH_COMMANDS_BIT,0)){case i.WAIT_FAILED:s();break;case i.TIMEOUT_EXPIRED:setTimeout(r,t);break;default:n()}}setTimeout(r,t)})}var nu={[Vr]:Vr,[Hr]:qr,[Wr]:Wr,[ts]:Xr,[Gr]:Gr,[qr]:Hr,[$r]:$r,[Xr]:ts},Ln=class{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});let n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){let n=this._listeners;return n===void 0?!1:n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){let n=this._listeners;if(n===void 0)return;let s=n[e];if(s!==void 0){let r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){let t=this._listeners;if(t===void 0)return;let n=t[e.type];if(n!==void 0){e.target=this;let s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,e);e.target=null}}},Ot=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"];var tl=Math.PI/180,Kr=180/Math.PI;function tr(){let i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(Ot[i&255]+Ot[i>>8&255]+Ot[i>>16&255]+Ot[i>>24&255]+"-"+Ot[e&255]+Ot[e>>8&255]+"-"+Ot[e>>16&15|64]+Ot[e>>24&255]+"-"+Ot[t&63|128]+Ot[t>>8&255]+"-"+Ot[t>>16&255]+Ot[t>>24&255]+Ot[n&255]+Ot[n>>8&255]+Ot[n>>16&255]+Ot[n>>24&255]).toLowerCase()}function Ze(i,e,t){return Math.max(e,Math.min(t,i))}function Vd(i,e){return(i%e+e)%e}function nl(i,e,t){return(1-t)*i+t*e}function iu(i){return Math.pow(2,Math.floor(Math.log(i)/Math.LN2))}function ic(i){switch(i.constructor){case Uint32Array:return 4294967295;case Uint16Array:return 65535;case Uint8Array:case Uint8ClampedArray:return 255;case Int32Array:return 2147483647;case Int16Array:return 32767;case Int8Array:return 127;default:return}}function Gd(i,e){if(e.constructor===Float32Array)return i;let t=ic(e);if(t===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.max(i/t,-1)}function Hd(i,e){if(e.constructor===Float32Array)return i;let t=ic(e);if(t===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.round(i*t)}var ze=class{static{this.prototype.isVector2=!0}constructor(e=0,t=0){this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("THREE.Vector2: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("THREE.Vector2: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){let t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=Ze(this.x,e.x,t.x),this.y=Ze(this.y,e.y,t.y),this}clampScalar(e,t){return this.x=Ze(this.x,e,t),this.y=Ze(this.y,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(Ze(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){let t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;let n=this.dot(e)/t;return Math.acos(Ze(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){let t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){let n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,o=this.y-e.y;return this.x=r*n-o*s+e.x,this.y=r*s+o*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}},Nn=class{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,o,a){let l=n[s+0],c=n[s+1],h=n[s+2],d=n[s+3],u=r[o+0],f=r[o+1],p=r[o+2],_=r[o+3];if(d!==_||l!==u||c!==f||h!==p){let g=l*u+c*f+h*p+d*_;g<0&&(u=-u,f=-f,p=-p,_=-_,g=-g);let m=1-a;if(g<.9995){let M=Math.acos(g),C=Math.sin(M);m=Math.sin(m*M)/C,a=Math.sin(a*M)/C,l=l*m+u*a,c=c*m+f*a,h=h*m+p*a,d=d*m+_*a}else{l=l*m+u*a,c=c*m+f*a,h=h*m+p*a,d=d*m+_*a;let M=1/Math.sqrt(l*l+c*c+h*h+d*d);l*=M,c*=M,h*=M,d*=M}}e[t]=l,e[t+1]=c,e[t+2]=h,e[t+3]=d}static multiplyQuaternionsFlat(e,t,n,s,r,o){let a=n[s],l=n[s+1],c=n[s+2],h=n[s+3],d=r[o],u=r[o+1],f=r[o+2],p=r[o+3];return e[t]=a*p+h*d+l*f-c*u,e[t+1]=l*p+h*u+c*d-a*f,e[t+2]=c*p+h*f+a*u-l*d,e[t+3]=h*p-a*d-l*u-c*f,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){let n=e._x,s=e._y,r=e._z,o=e._order,a=Math.cos,l=Math.sin,c=a(n/2),h=a(s/2),d=a(r/2),u=l(n/2),f=l(s/2),p=l(r/2);switch(o){case"XYZ":this._x=u*h*d+c*f*p,this._y=c*f*d-u*h*p,this._z=c*h*p+u*f*d,this._w=c*h*d-u*f*p;break;case"YXZ":this._x=u*h*d+c*f*p,this._y=c*f*d-u*h*p,this._z=c*h*p-u*f*d,this._w=c*h*d+u*f*p;break;case"ZXY":this._x=u*h*d-c*f*p,this._y=c*f*d+u*h*p,this._z=c*h*p+u*f*d,this._w=c*h*d-u*f*p;break;case"ZYX":this._x=u*h*d-c*f*p,this._y=c*f*d+u*h*p,this._z=c*h*p-u*f*d,this._w=c*h*d+u*f*p;break;case"YZX":this._x=u*h*d+c*f*p,this._y=c*f*d+u*h*p,this._z=c*h*p-u*f*d,this._w=c*h*d-u*f*p;break;case"XZY":this._x=u*h*d-c*f*p,this._y=c*f*d-u*h*p,this._z=c*h*p+u*f*d,this._w=c*h*d+u*f*p;break;default:Pe("Quaternion: .setFromEuler() encountered an unknown order: "+o)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){let n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){let t=e.elements,n=t[0],s=t[4],r=t[8],o=t[1],a=t[5],l=t[9],c=t[2],h=t[6],d=t[10],u=n+a+d;if(u>0){let f=.5/Math.sqrt(u+1);this._w=.25/f,this._x=(h-l)*f,this._y=(r-c)*f,this._z=(o-s)*f}else if(n>a&&n>d){let f=2*Math.sqrt(1+n-a-d);this._w=(h-l)/f,this._x=.25*f,this._y=(s+o)/f,this._z=(r+c)/f}else if(a>d){let f=2*Math.sqrt(1+a-n-d);this._w=(r-c)/f,this._x=(s+o)/f,this._y=.25*f,this._z=(l+h)/f}else{let f=2*Math.sqrt(1+d-n-a);this._w=(o-s)/f,this._x=(r+c)/f,this._y=(l+h)/f,this._z=.25*f}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<1e-8?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(Ze(this.dot(e),-1,1)))}rotateTowards(e,t){let n=this.angleTo(e);if(n===0)return this;let s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){let n=e._x,s=e._y,r=e._z,o=e._w,a=t._x,l=t._y,c=t._z,h=t._w;return this._x=n*h+o*a+s*c-r*l,this._y=s*h+o*l+r*a-n*c,this._z=r*h+o*c+n*l-s*a,this._w=o*h-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){let n=e._x,s=e._y,r=e._z,o=e._w,a=this.dot(e);a<0&&(n=-n,s=-s,r=-r,o=-o,a=-a);let l=1-t;if(a<.9995){let c=Math.acos(a),h=Math.sin(c);l=Math.sin(l*c)/h,t=Math.sin(t*c)/h,this._x=this._x*l+n*t,this._y=this._y*l+s*t,this._z=this._z*l+r*t,this._w=this._w*l+o*t,this._onChangeCallback()}else this._x=this._x*l+n*t,this._y=this._y*l+s*t,this._z=this._z*l+r*t,this._w=this._w*l+o*t,this.normalize();return this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){let e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}},I=class{static{this.prototype.isVector3=!0}constructor(e=0,t=0,n=0){this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("THREE.Vector3: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("THREE.Vector3: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(Wc.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(Wc.setFromAxisAngle(e,t))}applyMatrix3(e){let t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){let t=this.x,n=this.y,s=this.z,r=e.elements,o=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(e){let t=this.x,n=this.y,s=this.z,r=e.x,o=e.y,a=e.z,l=e.w,c=2*(o*s-a*n),h=2*(a*t-r*s),d=2*(r*n-o*t);return this.x=t+l*c+o*d-a*h,this.y=n+l*h+a*c-r*d,this.z=s+l*d+r*h-o*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){let t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=Ze(this.x,e.x,t.x),this.y=Ze(this.y,e.y,t.y),this.z=Ze(this.z,e.z,t.z),this}clampScalar(e,t){return this.x=Ze(this.x,e,t),this.y=Ze(this.y,e,t),this.z=Ze(this.z,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(Ze(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){let n=e.x,s=e.y,r=e.z,o=t.x,a=t.y,l=t.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(e){let t=e.lengthSq();if(t===0)return this.set(0,0,0);let n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return il.copy(this).projectOnVector(e),this.sub(il)}reflect(e){return this.sub(il.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){let t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;let n=this.dot(e)/t;return Math.acos(Ze(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){let t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){let s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){let t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){let t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){let e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}},il=new I,Wc=new Nn,Ne=class{static{this.prototype.isMatrix3=!0}constructor(e,t,n,s,r,o,a,l,c){this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c)}set(e,t,n,s,r,o,a,l,c){let h=this.elements;return h[0]=e,h[1]=s,h[2]=a,h[3]=t,h[4]=r,h[5]=l,h[6]=n,h[7]=o,h[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){let t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){let t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){let n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],h=n[4],d=n[7],u=n[2],f=n[5],p=n[8],_=s[0],g=s[3],m=s[6],M=s[1],C=s[4],E=s[7],R=s[2],A=s[5],y=s[8];return r[0]=o*_+a*M+l*R,r[3]=o*g+a*C+l*A,r[6]=o*m+a*E+l*y,r[1]=c*_+h*M+d*R,r[4]=c*g+h*C+d*A,r[7]=c*m+h*E+d*y,r[2]=u*_+f*M+p*R,r[5]=u*g+f*C+p*A,r[8]=u*m+f*E+p*y,this}multiplyScalar(e){let t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8];return t*o*h-t*a*c-n*r*h+n*a*l+s*r*c-s*o*l}invert(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8],d=h*o-a*c,u=a*l-h*r,f=c*r-o*l,p=t*d+n*u+s*f;if(p===0)return this.set(0,0,0,0,0,0,0,0,0);let _=1/p;return e[0]=d*_,e[1]=(s*c-h*n)*_,e[2]=(a*n-s*o)*_,e[3]=u*_,e[4]=(h*t-s*l)*_,e[5]=(s*r-a*t)*_,e[6]=f*_,e[7]=(n*l-c*t)*_,e[8]=(o*t-n*r)*_,this}transpose(){let e,t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){let t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,o,a){let l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+e,-s*c,s*l,-s*(-c*o+l*a)+a+t,0,0,1),this}scale(e,t){return Rs("Matrix3: .scale() is deprecated. Use .makeScale() instead."),this.premultiply(sl.makeScale(e,t)),this}rotate(e){return Rs("Matrix3: .rotate() is deprecated. Use .makeRotation() instead."),this.premultiply(sl.makeRotation(-e)),this}translate(e,t){return Rs("Matrix3: .translate() is deprecated. Use .makeTranslation() instead."),this.premultiply(sl.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){let t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){let n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}},sl=new Ne,Xc=new Ne().set(.4123908,.3575843,.1804808,.212639,.7151687,.0721923,.0193308,.1191948,.9505322),qc=new Ne().set(3.2409699,-1.5373832,-.4986108,-.9692436,1.8759675,.0415551,.0556301,-.203977,1.0569715);function Wd(){let i={enabled:!0,workingColorSpace:Ri,spaces:{},convert:function(s,r,o){return this.enabled===!1||r===o||!r||!o||(this.spaces[r].transfer===je&&(s.r=$n(s.r),s.g=$n(s.g),s.b=$n(s.b)),this.spaces[r].primaries!==this.spaces[o].primaries&&(s.applyMatrix3(this.spaces[r].toXYZ),s.applyMatrix3(this.spaces[o].fromXYZ)),this.spaces[o].transfer===je&&(s.r=es(s.r),s.g=es(s.g),s.b=es(s.b))),s},workingToColorSpace:function(s,r){return this.convert(s,this.workingColorSpace,r)},colorSpaceToWorking:function(s,r){return this.convert(s,r,this.workingColorSpace)},getPrimaries:function(s){return this.spaces[s].primaries},getTransfer:function(s){return s===Qn?Is:this.spaces[s].transfer},getToneMappingMode:function(s){return this.spaces[s].outputColorSpaceConfig.toneMappingMode||"standard"},getLuminanceCoefficients:function(s,r=this.workingColorSpace){return s.fromArray(this.spaces[r].luminanceCoefficients)},define:function(s){Object.assign(this.spaces,s)},_getMatrix:function(s,r,o){return s.copy(this.spaces[o].fromXYZ).multiply(this.spaces[r].toXYZ)},_getDrawingBufferColorSpace:function(s){return this.spaces[s].outputColorSpaceConfig.drawingBufferColorSpace},_getUnpackColorSpace:function(s=this.workingColorSpace){return this.spaces[s].workingColorSpaceConfig.unpackColorSpace}},e=[.64,.33,.3,.6,.15,.06],t=[.2126,.7152,.0722],n=[.3127,.329];return i.define({[Ri]:{primaries:e,whitePoint:n,transfer:Is,toXYZ:Xc,fromXYZ:qc,luminanceCoefficients:t,workingColorSpaceConfig:{unpackColorSpace:rn},outputColorSpaceConfig:{drawingBufferColorSpace:rn}},[rn]:{primaries:e,whitePoint:n,transfer:je,toXYZ:Xc,fromXYZ:qc,luminanceCoefficients:t,outputColorSpaceConfig:{drawingBufferColorSpace:rn}}}),i}var We=Wd();function $n(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function es(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}var zi,jr=class{static getDataURL(e,t="image/png"){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let n;if(e instanceof HTMLCanvasElement)n=e;else{zi===void 0&&(zi=Ns("canvas")),zi.width=e.width,zi.height=e.height;let s=zi.getContext("2d");e instanceof ImageData?s.putImageData(e,0,0):s.drawImage(e,0,0,e.width,e.height),n=zi}return n.toDataURL(t)}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){let t=Ns("canvas");t.width=e.width,t.height=e.height;let n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);let s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=$n(r[o]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){let t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor($n(t[n]/255)*255):t[n]=$n(t[n]);return{data:t,width:e.width,height:e.height}}else return Pe("ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}},Xd=0,is=class{constructor(e=null){this.isTextureSource=!0,Object.defineProperty(this,"id",{value:Xd++}),this.uuid=tr(),this.data=e,this.dataReady=!0,this.version=0}getSize(e){let t=this.data;return typeof HTMLVideoElement<"u"&&t instanceof HTMLVideoElement?e.set(t.videoWidth,t.videoHeight,0):typeof VideoFrame<"u"&&t instanceof VideoFrame?e.set(t.displayWidth,t.displayHeight,0):t!==null?e.set(t.width||0,t.height||0,t.depth||0):e.set(0,0,0),e}set needsUpdate(e){e===!0&&this.version++}toJSON(e){let t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];let n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(rl(s[o].image)):r.push(rl(s[o]))}else r=rl(s);n.url=r}return t||(e.images[this.uuid]=n),n}};function rl(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?jr.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(Pe("Texture: Unable to serialize Texture."),{})}var qd=0,ol=new I,Jt=class i extends Ln{constructor(e=i.DEFAULT_IMAGE,t=i.DEFAULT_MAPPING,n=In,s=In,r=Wt,o=Kn,a=Vt,l=Dt,c=i.DEFAULT_ANISOTROPY,h=Qn){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:qd++}),this.uuid=tr(),this.name="",this.source=new is(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new ze(0,0),this.repeat=new ze(1,1),this.center=new ze(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new Ne,this.generateMipmaps=!0,this.mipmapsAutoUpdate=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=h,this.userData={},this.updateRanges=[],this.version=0,this.onUpdate=null,this.renderTarget=null,this.isRenderTargetTexture=!1,this.isArrayTexture=!!(e&&e.depth&&e.depth>1),this.pmremVersion=0,this.isPMREMTexture=!1,this.normalized=!1}get width(){return this.source.getSize(ol).x}get height(){return this.source.getSize(ol).y}get depth(){return this.source.getSize(ol).z}get image(){return this.source.data}set image(e){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.normalized=e.normalized,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.mipmapsAutoUpdate=e.mipmapsAutoUpdate,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.renderTarget=e.renderTarget,this.isRenderTargetTexture=e.isRenderTargetTexture,this.isPMREMTexture=e.isPMREMTexture,this.isArrayTexture=e.isArrayTexture,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}setValues(e){for(let t in e){let n=e[t];if(n===void 0){Pe(`Texture.setValues(): parameter '${t}' has value of undefined.`);continue}let s=this[t];if(s===void 0){Pe(`Texture.setValues(): property '${t}' does not exist.`);continue}s&&n&&s.isVector2&&n.isVector2||s&&n&&s.isVector3&&n.isVector3||s&&n&&s.isMatrix3&&n.isMatrix3?s.copy(n):this[t]=n}}toJSON(e){let t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];let n={metadata:{version:4.7,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,normalized:this.normalized,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,mipmapsAutoUpdate:this.mipmapsAutoUpdate,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==Xl)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case Yr:e.x=e.x-Math.floor(e.x);break;case In:e.x=e.x<0?0:1;break;case Zr:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case Yr:e.y=e.y-Math.floor(e.y);break;case In:e.y=e.y<0?0:1;break;case Zr:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}};Jt.DEFAULT_IMAGE=null;Jt.DEFAULT_MAPPING=Xl;Jt.DEFAULT_ANISOTROPY=1;var it=class{static{this.prototype.isVector4=!0}constructor(e=0,t=0,n=0,s=1){this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("THREE.Vector4: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("THREE.Vector4: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){let t=this.x,n=this.y,s=this.z,r=this.w,o=e.elements;return this.x=o[0]*t+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*t+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*t+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*t+o[7]*n+o[11]*s+o[15]*r,this}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this.w/=e.w,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);let t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r,l=e.elements,c=l[0],h=l[4],d=l[8],u=l[1],f=l[5],p=l[9],_=l[2],g=l[6],m=l[10];if(Math.abs(h-u)<.01&&Math.abs(d-_)<.01&&Math.abs(p-g)<.01){if(Math.abs(h+u)<.1&&Math.abs(d+_)<.1&&Math.abs(p+g)<.1&&Math.abs(c+f+m-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;let C=(c+1)/2,E=(f+1)/2,R=(m+1)/2,A=(h+u)/4,y=(d+_)/4,S=(p+g)/4;return C>E&&C>R?C<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(C),s=A/n,r=y/n):E>R?E<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(E),n=A/s,r=S/s):R<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(R),n=y/r,s=S/r),this.set(n,s,r,t),this}let M=Math.sqrt((g-p)*(g-p)+(d-_)*(d-_)+(u-h)*(u-h));return Math.abs(M)<.001&&(M=1),this.x=(g-p)/M,this.y=(d-_)/M,this.z=(u-h)/M,this.w=Math.acos((c+f+m-1)/2),this}setFromMatrixPosition(e){let t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this.w=t[15],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=Ze(this.x,e.x,t.x),this.y=Ze(this.y,e.y,t.y),this.z=Ze(this.z,e.z,t.z),this.w=Ze(this.w,e.w,t.w),this}clampScalar(e,t){return this.x=Ze(this.x,e,t),this.y=Ze(this.y,e,t),this.z=Ze(this.z,e,t),this.w=Ze(this.w,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(Ze(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}},Qr=class extends Ln{constructor(e=1,t=1,n={}){super(),n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:Wt,depthBuffer:!0,stencilBuffer:!1,resolveColorBuffer:!0,resolveDepthBuffer:!0,resolveStencilBuffer:!0,storeMultisampledColorBuffer:!0,storeMultisampledDepthBuffer:!0,storeMultisampledStencilBuffer:!0,depthTexture:null,samples:0,count:1,depth:1,multiview:!1,useArrayDepthTexture:!1},n),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=n.depth,this.scissor=new it(0,0,e,t),this.scissorTest=!1,this.viewport=new it(0,0,e,t),this.textures=[];let s=n.count;for(let r=0;r<s;r++)this.textures[r]=new Jt({width:e,height:t,depth:n.depth}),this.textures[r].isRenderTargetTexture=!0,this.textures[r].renderTarget=this;this._setTextureOptions(n),this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveColorBuffer=n.resolveColorBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.storeMultisampledColorBuffer=n.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=n.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=n.storeMultisampledStencilBuffer,this._depthTexture=null,this.depthTexture=n.depthTexture,this.samples=n.samples,this.multiview=n.multiview,this.useArrayDepthTexture=n.useArrayDepthTexture}_setTextureOptions(e={}){let t={minFilter:Wt,generateMipmaps:!1,flipY:!1,internalFormat:null};e.mapping!==void 0&&(t.mapping=e.mapping),e.wrapS!==void 0&&(t.wrapS=e.wrapS),e.wrapT!==void 0&&(t.wrapT=e.wrapT),e.wrapR!==void 0&&(t.wrapR=e.wrapR),e.magFilter!==void 0&&(t.magFilter=e.magFilter),e.minFilter!==void 0&&(t.minFilter=e.minFilter),e.format!==void 0&&(t.format=e.format),e.type!==void 0&&(t.type=e.type),e.anisotropy!==void 0&&(t.anisotropy=e.anisotropy),e.colorSpace!==void 0&&(t.colorSpace=e.colorSpace),e.flipY!==void 0&&(t.flipY=e.flipY),e.generateMipmaps!==void 0&&(t.generateMipmaps=e.generateMipmaps),e.mipmapsAutoUpdate!==void 0&&(t.mipmapsAutoUpdate=e.mipmapsAutoUpdate),e.internalFormat!==void 0&&(t.internalFormat=e.internalFormat);for(let n=0;n<this.textures.length;n++)this.textures[n].setValues(t)}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}set depthTexture(e){this._depthTexture!==null&&this._depthTexture.renderTarget===this&&(this._depthTexture.renderTarget=null),e!==null&&e.renderTarget===null&&(e.renderTarget=this),this._depthTexture=e}get depthTexture(){return this._depthTexture}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n,this.textures[s].isData3DTexture!==!0&&(this.textures[s].isArrayTexture=this.textures[s].image.depth>1);this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let t=0,n=e.textures.length;t<n;t++){this.textures[t]=e.textures[t].clone(),this.textures[t].isRenderTargetTexture=!0,this.textures[t].renderTarget=this;let s=Object.assign({},e.textures[t].image);this.textures[t].source=new is(s)}if(this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveColorBuffer=e.resolveColorBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,this.storeMultisampledColorBuffer=e.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=e.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=e.storeMultisampledStencilBuffer,e.depthTexture!==null)if(e.depthTexture.renderTarget===e){let t=e.depthTexture.clone();t.renderTarget=null,this.depthTexture=t}else this.depthTexture=e.depthTexture;else this.depthTexture=null;return this.samples=e.samples,this.multiview=e.multiview,this.useArrayDepthTexture=e.useArrayDepthTexture,this}dispose(){this.dispatchEvent({type:"dispose"})}},Rt=class extends Qr{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}},Ds=class extends Jt{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=ct,this.minFilter=ct,this.wrapR=In,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1,this.layerUpdates=new Set}copy(e){return super.copy(e),this.wrapR=e.wrapR,this}addLayerUpdate(e){this.layerUpdates.add(e)}clearLayerUpdates(){this.layerUpdates.clear()}};var eo=class extends Jt{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=ct,this.minFilter=ct,this.wrapR=In,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}copy(e){return super.copy(e),this.wrapR=e.wrapR,this}};var Xe=class i{static{this.prototype.isMatrix4=!0}constructor(e,t,n,s,r,o,a,l,c,h,d,u,f,p,_,g){this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c,h,d,u,f,p,_,g)}set(e,t,n,s,r,o,a,l,c,h,d,u,f,p,_,g){let m=this.elements;return m[0]=e,m[4]=t,m[8]=n,m[12]=s,m[1]=r,m[5]=o,m[9]=a,m[13]=l,m[2]=c,m[6]=h,m[10]=d,m[14]=u,m[3]=f,m[7]=p,m[11]=_,m[15]=g,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new i().fromArray(this.elements)}copy(e){let t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){let t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){let t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return this.determinantAffine()===0?(e.set(1,0,0),t.set(0,1,0),n.set(0,0,1),this):(e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this)}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){if(e.determinantAffine()===0)return this.identity();let t=this.elements,n=e.elements,s=1/Vi.setFromMatrixColumn(e,0).length(),r=1/Vi.setFromMatrixColumn(e,1).length(),o=1/Vi.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*o,t[9]=n[9]*o,t[10]=n[10]*o,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){let t=this.elements,n=e.x,s=e.y,r=e.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),h=Math.cos(r),d=Math.sin(r);if(e.order==="XYZ"){let u=o*h,f=o*d,p=a*h,_=a*d;t[0]=l*h,t[4]=-l*d,t[8]=c,t[1]=f+p*c,t[5]=u-_*c,t[9]=-a*l,t[2]=_-u*c,t[6]=p+f*c,t[10]=o*l}else if(e.order==="YXZ"){let u=l*h,f=l*d,p=c*h,_=c*d;t[0]=u+_*a,t[4]=p*a-f,t[8]=o*c,t[1]=o*d,t[5]=o*h,t[9]=-a,t[2]=f*a-p,t[6]=_+u*a,t[10]=o*l}else if(e.order==="ZXY"){let u=l*h,f=l*d,p=c*h,_=c*d;t[0]=u-_*a,t[4]=-o*d,t[8]=p+f*a,t[1]=f+p*a,t[5]=o*h,t[9]=_-u*a,t[2]=-o*c,t[6]=a,t[10]=o*l}else if(e.order==="ZYX"){let u=o*h,f=o*d,p=a*h,_=a*d;t[0]=l*h,t[4]=p*c-f,t[8]=u*c+_,t[1]=l*d,t[5]=_*c+u,t[9]=f*c-p,t[2]=-c,t[6]=a*l,t[10]=o*l}else if(e.order==="YZX"){let u=o*l,f=o*c,p=a*l,_=a*c;t[0]=l*h,t[4]=_-u*d,t[8]=p*d+f,t[1]=d,t[5]=o*h,t[9]=-a*h,t[2]=-c*h,t[6]=f*d+p,t[10]=u-_*d}else if(e.order==="XZY"){let u=o*l,f=o*c,p=a*l,_=a*c;t[0]=l*h,t[4]=-d,t[8]=c*h,t[1]=u*d+_,t[5]=o*h,t[9]=f*d-p,t[2]=p*d-f,t[6]=a*h,t[10]=_*d+u}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose($d,e,Yd)}lookAt(e,t,n){let s=this.elements;return nn.subVectors(e,t),nn.lengthSq()===0&&(nn.z=1),nn.normalize(),si.crossVectors(n,nn),si.lengthSq()===0&&(Math.abs(n.z)===1?nn.x+=1e-4:nn.z+=1e-4,nn.normalize(),si.crossVectors(n,nn)),si.normalize(),pr.crossVectors(nn,si),s[0]=si.x,s[4]=pr.x,s[8]=nn.x,s[1]=si.y,s[5]=pr.y,s[9]=nn.y,s[2]=si.z,s[6]=pr.z,s[10]=nn.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){let n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],h=n[1],d=n[5],u=n[9],f=n[13],p=n[2],_=n[6],g=n[10],m=n[14],M=n[3],C=n[7],E=n[11],R=n[15],A=s[0],y=s[4],S=s[8],F=s[12],N=s[1],U=s[5],V=s[9],X=s[13],w=s[2],G=s[6],q=s[10],O=s[14],te=s[3],W=s[7],Q=s[11],ee=s[15];return r[0]=o*A+a*N+l*w+c*te,r[4]=o*y+a*U+l*G+c*W,r[8]=o*S+a*V+l*q+c*Q,r[12]=o*F+a*X+l*O+c*ee,r[1]=h*A+d*N+u*w+f*te,r[5]=h*y+d*U+u*G+f*W,r[9]=h*S+d*V+u*q+f*Q,r[13]=h*F+d*X+u*O+f*ee,r[2]=p*A+_*N+g*w+m*te,r[6]=p*y+_*U+g*G+m*W,r[10]=p*S+_*V+g*q+m*Q,r[14]=p*F+_*X+g*O+m*ee,r[3]=M*A+C*N+E*w+R*te,r[7]=M*y+C*U+E*G+R*W,r[11]=M*S+C*V+E*q+R*Q,r[15]=M*F+C*X+E*O+R*ee,this}multiplyScalar(e){let t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){let e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],o=e[1],a=e[5],l=e[9],c=e[13],h=e[2],d=e[6],u=e[10],f=e[14],p=e[3],_=e[7],g=e[11],m=e[15],M=l*f-c*u,C=a*f-c*d,E=a*u-l*d,R=o*f-c*h,A=o*u-l*h,y=o*d-a*h;return t*(_*M-g*C+m*E)-n*(p*M-g*R+m*A)+s*(p*C-_*R+m*y)-r*(p*E-_*A+g*y)}determinantAffine(){let e=this.elements,t=e[0],n=e[4],s=e[8],r=e[1],o=e[5],a=e[9],l=e[2],c=e[6],h=e[10];return t*(o*h-a*c)-n*(r*h-a*l)+s*(r*c-o*l)}transpose(){let e=this.elements,t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){let s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8],d=e[9],u=e[10],f=e[11],p=e[12],_=e[13],g=e[14],m=e[15],M=t*a-n*o,C=t*l-s*o,E=t*c-r*o,R=n*l-s*a,A=n*c-r*a,y=s*c-r*l,S=h*_-d*p,F=h*g-u*p,N=h*m-f*p,U=d*g-u*_,V=d*m-f*_,X=u*m-f*g,w=M*X-C*V+E*U+R*N-A*F+y*S;if(w===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);let G=1/w;return e[0]=(a*X-l*V+c*U)*G,e[1]=(s*V-n*X-r*U)*G,e[2]=(_*y-g*A+m*R)*G,e[3]=(u*A-d*y-f*R)*G,e[4]=(l*N-o*X-c*F)*G,e[5]=(t*X-s*N+r*F)*G,e[6]=(g*E-p*y-m*C)*G,e[7]=(h*y-u*E+f*C)*G,e[8]=(o*V-a*N+c*S)*G,e[9]=(n*N-t*V-r*S)*G,e[10]=(p*A-_*E+m*M)*G,e[11]=(d*E-h*A-f*M)*G,e[12]=(a*F-o*U-l*S)*G,e[13]=(t*U-n*F+s*S)*G,e[14]=(_*C-p*R-g*M)*G,e[15]=(h*R-d*C+u*M)*G,this}scale(e){let t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){let e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){let t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){let n=Math.cos(t),s=Math.sin(t),r=1-n,o=e.x,a=e.y,l=e.z,c=r*o,h=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,h*a+n,h*l-s*o,0,c*l-s*a,h*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,o){return this.set(1,n,r,0,e,1,o,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){let s=this.elements,r=t._x,o=t._y,a=t._z,l=t._w,c=r+r,h=o+o,d=a+a,u=r*c,f=r*h,p=r*d,_=o*h,g=o*d,m=a*d,M=l*c,C=l*h,E=l*d,R=n.x,A=n.y,y=n.z;return s[0]=(1-(_+m))*R,s[1]=(f+E)*R,s[2]=(p-C)*R,s[3]=0,s[4]=(f-E)*A,s[5]=(1-(u+m))*A,s[6]=(g+M)*A,s[7]=0,s[8]=(p+C)*y,s[9]=(g-M)*y,s[10]=(1-(u+_))*y,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){let s=this.elements;e.x=s[12],e.y=s[13],e.z=s[14];let r=this.determinantAffine();if(r===0)return n.set(1,1,1),t.identity(),this;let o=Vi.set(s[0],s[1],s[2]).length(),a=Vi.set(s[4],s[5],s[6]).length(),l=Vi.set(s[8],s[9],s[10]).length();r<0&&(o=-o),xn.copy(this);let c=1/o,h=1/a,d=1/l;return xn.elements[0]*=c,xn.elements[1]*=c,xn.elements[2]*=c,xn.elements[4]*=h,xn.elements[5]*=h,xn.elements[6]*=h,xn.elements[8]*=d,xn.elements[9]*=d,xn.elements[10]*=d,t.setFromRotationMatrix(xn),n.x=o,n.y=a,n.z=l,this}makePerspective(e,t,n,s,r,o,a=mn,l=!1){let c=this.elements,h=2*r/(t-e),d=2*r/(n-s),u=(t+e)/(t-e),f=(n+s)/(n-s),p,_;if(l)p=r/(o-r),_=o*r/(o-r);else if(a===mn)p=-(o+r)/(o-r),_=-2*o*r/(o-r);else if(a===Ls)p=-o/(o-r),_=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=u,c[12]=0,c[1]=0,c[5]=d,c[9]=f,c[13]=0,c[2]=0,c[6]=0,c[10]=p,c[14]=_,c[3]=0,c[7]=0,c[11]=-1,c[15]=0,this}makeOrthographic(e,t,n,s,r,o,a=mn,l=!1){let c=this.elements,h=2/(t-e),d=2/(n-s),u=-(t+e)/(t-e),f=-(n+s)/(n-s),p,_;if(l)p=1/(o-r),_=o/(o-r);else if(a===mn)p=-2/(o-r),_=-(o+r)/(o-r);else if(a===Ls)p=-1/(o-r),_=-r/(o-r);else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=0,c[12]=u,c[1]=0,c[5]=d,c[9]=0,c[13]=f,c[2]=0,c[6]=0,c[10]=p,c[14]=_,c[3]=0,c[7]=0,c[11]=0,c[15]=1,this}equals(e){let t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){let n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}},Vi=new I,xn=new Xe,$d=new I(0,0,0),Yd=new I(1,1,1),si=new I,pr=new I,nn=new I,$c=new Xe,Yc=new Nn,hi=class i{constructor(e=0,t=0,n=0,s=i.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){let s=e.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],h=s[9],d=s[2],u=s[6],f=s[10];switch(t){case"XYZ":this._y=Math.asin(Ze(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-h,f),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(u,c),this._z=0);break;case"YXZ":this._x=Math.asin(-Ze(h,-1,1)),Math.abs(h)<.9999999?(this._y=Math.atan2(a,f),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-d,r),this._z=0);break;case"ZXY":this._x=Math.asin(Ze(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(-d,f),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-Ze(d,-1,1)),Math.abs(d)<.9999999?(this._x=Math.atan2(u,f),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(Ze(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-h,c),this._y=Math.atan2(-d,r)):(this._x=0,this._y=Math.atan2(a,f));break;case"XZY":this._z=Math.asin(-Ze(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(u,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-h,f),this._y=0);break;default:Pe("Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return $c.makeRotationFromQuaternion(e),this.setFromRotationMatrix($c,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return Yc.setFromEuler(this),this.setFromQuaternion(Yc,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}};hi.DEFAULT_ORDER="XYZ";var ss=class{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}},Zd=0,Zc=new I,Gi=new Nn,Gn=new Xe,mr=new I,Ms=new I,Jd=new I,Kd=new Nn,Jc=new I(1,0,0),Kc=new I(0,1,0),jc=new I(0,0,1),Qc={type:"added"},jd={type:"removed"},Hi={type:"childadded",child:null},al={type:"childremoved",child:null},Kt=class i extends Ln{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:Zd++}),this.uuid=tr(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=i.DEFAULT_UP.clone();let e=new I,t=new hi,n=new Nn,s=new I(1,1,1);function r(){n.setFromEuler(t,!1)}function o(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new Xe},normalMatrix:{value:new Ne}}),this.matrix=new Xe,this.matrixWorld=new Xe,this.matrixAutoUpdate=i.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=i.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new ss,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.customDepthMaterial=void 0,this.customDistanceMaterial=void 0,this.static=!1,this.userData={},this.pivot=null}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale),this.pivot!==null&&this.position.copy(this.pivot).applyMatrix4(this.matrix).sub(this.pivot)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return Gi.setFromAxisAngle(e,t),this.quaternion.multiply(Gi),this}rotateOnWorldAxis(e,t){return Gi.setFromAxisAngle(e,t),this.quaternion.premultiply(Gi),this}rotateX(e){return this.rotateOnAxis(Jc,e)}rotateY(e){return this.rotateOnAxis(Kc,e)}rotateZ(e){return this.rotateOnAxis(jc,e)}translateOnAxis(e,t){return Zc.copy(e).applyQuaternion(this.quaternion),this.position.add(Zc.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(Jc,e)}translateY(e){return this.translateOnAxis(Kc,e)}translateZ(e){return this.translateOnAxis(jc,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(Gn.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?mr.copy(e):mr.set(e,t,n);let s=this.parent;this.updateWorldMatrix(!0,!1),Ms.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?Gn.lookAt(Ms,mr,this.up):Gn.lookAt(mr,Ms,this.up),this.quaternion.setFromRotationMatrix(Gn),s&&(Gn.extractRotation(s.matrixWorld),Gi.setFromRotationMatrix(Gn),this.quaternion.premultiply(Gi.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(Le("Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(Qc),Hi.child=e,this.dispatchEvent(Hi),Hi.child=null):Le("Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}let t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(jd),al.child=e,this.dispatchEvent(al),al.child=null),this}removeFromParent(){let e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),Gn.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),Gn.multiply(e.parent.matrixWorld)),e.applyMatrix4(Gn),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(Qc),Hi.child=e,this.dispatchEvent(Hi),Hi.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){let o=this.children[n].getObjectByProperty(e,t);if(o!==void 0)return o}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);let s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Ms,e,Jd),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Ms,Kd,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);let t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}intersectsFrustum(){return!0}traverse(e){e(this);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){let t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale);let e=this.pivot;if(e!==null){let t=e.x,n=e.y,s=e.z,r=this.matrix.elements;r[12]+=t-r[0]*t-r[4]*n-r[8]*s,r[13]+=n-r[1]*t-r[5]*n-r[9]*s,r[14]+=s-r[2]*t-r[6]*n-r[10]*s}this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,e=!0);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].updateMatrixWorld(e)}updateWorldMatrix(e,t,n=!1){let s=this.parent;if(e===!0&&s!==null&&s.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||n)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,n=!0),t===!0){let r=this.children;for(let o=0,a=r.length;o<a;o++)r[o].updateWorldMatrix(!1,!0,n)}}toJSON(e){let t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.7,type:"Object",generator:"Object3D.toJSON"});let s={};s.uuid=this.uuid,s.type=this.type,s.name=this.name,s.castShadow=this.castShadow,s.receiveShadow=this.receiveShadow,s.visible=this.visible,s.frustumCulled=this.frustumCulled,s.renderOrder=this.renderOrder,s.static=this.static,s.matrixAutoUpdate=this.matrixAutoUpdate,Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.pivot!==null&&(s.pivot=this.pivot.toArray()),this.morphTargetDictionary!==void 0&&(s.morphTargetDictionary=Object.assign({},this.morphTargetDictionary)),this.morphTargetInfluences!==void 0&&(s.morphTargetInfluences=this.morphTargetInfluences.slice()),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.geometryInfo=this._geometryInfo.map(a=>({...a,boundingBox:a.boundingBox?a.boundingBox.toJSON():void 0,boundingSphere:a.boundingSphere?a.boundingSphere.toJSON():void 0})),s.instanceInfo=this._instanceInfo.map(a=>({...a})),s.availableInstanceIds=this._availableInstanceIds.slice(),s.availableGeometryIds=this._availableGeometryIds.slice(),s.nextIndexStart=this._nextIndexStart,s.nextVertexStart=this._nextVertexStart,s.geometryCount=this._geometryCount,s.maxInstanceCount=this._maxInstanceCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.matricesTexture=this._matricesTexture.toJSON(e),s.indirectTexture=this._indirectTexture.toJSON(e),this._colorsTexture!==null&&(s.colorsTexture=this._colorsTexture.toJSON(e)),this.boundingSphere!==null&&(s.boundingSphere=this.boundingSphere.toJSON()),this.boundingBox!==null&&(s.boundingBox=this.boundingBox.toJSON()));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);let a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){let l=a.shapes;if(Array.isArray(l))for(let c=0,h=l.length;c<h;c++){let d=l[c];r(e.shapes,d)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){let a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(e.materials,this.material[l]));s.material=a}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){let l=this.animations[a];s.animations.push(r(e.animations,l))}}if(t){let a=o(e.geometries),l=o(e.materials),c=o(e.textures),h=o(e.images),d=o(e.shapes),u=o(e.skeletons),f=o(e.animations),p=o(e.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),h.length>0&&(n.images=h),d.length>0&&(n.shapes=d),u.length>0&&(n.skeletons=u),f.length>0&&(n.animations=f),p.length>0&&(n.nodes=p)}return n.object=s,n;function o(a){let l=[];for(let c in a){let h=a[c];delete h.metadata,l.push(h)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.pivot=e.pivot!==null?e.pivot.clone():null,this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.static=e.static,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){let s=e.children[n];this.add(s.clone())}return this}dispose(){this.dispatchEvent({type:"dispose"})}};Kt.DEFAULT_UP=new I(0,1,0);Kt.DEFAULT_MATRIX_AUTO_UPDATE=!0;Kt.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;var ft=class extends Kt{constructor(){super(),this.isGroup=!0,this.type="Group"}},Qd={type:"move"},rs=class{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new ft,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new ft,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new I,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new I),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new ft,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new I,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new I,this._grip.eventsEnabled=!1),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){let t=this._hand;if(t)for(let n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,o=null,a=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){o=!0;for(let _ of e.hand.values()){let g=t.getJointPose(_,n),m=this._getHandJoint(c,_);g!==null&&(m.matrix.fromArray(g.transform.matrix),m.matrix.decompose(m.position,m.quaternion,m.scale),m.matrixWorldNeedsUpdate=!0,m.jointRadius=g.radius),m.visible=g!==null}let h=c.joints["index-finger-tip"],d=c.joints["thumb-tip"],u=h.position.distanceTo(d.position),f=.02,p=.005;c.inputState.pinching&&u>f+p?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&u<=f-p&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.quaternion,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1,l.eventsEnabled&&l.dispatchEvent({type:"gripUpdated",data:e,target:this})));a!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.quaternion,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(Qd)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){let n=new ft;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}},su={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},ri={h:0,s:0,l:0},gr={h:0,s:0,l:0};function ll(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}var Ge=class{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){let s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=rn){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,We.colorSpaceToWorking(this,t),this}setRGB(e,t,n,s=We.workingColorSpace){return this.r=e,this.g=t,this.b=n,We.colorSpaceToWorking(this,s),this}setHSL(e,t,n,s=We.workingColorSpace){if(e=Vd(e,1),t=Ze(t,0,1),n=Ze(n,0,1),t===0)this.r=this.g=this.b=n;else{let r=n<=.5?n*(1+t):n+t-n*t,o=2*n-r;this.r=ll(o,r,e+1/3),this.g=ll(o,r,e),this.b=ll(o,r,e-1/3)}return We.colorSpaceToWorking(this,s),this}setStyle(e,t=rn){function n(r){r!==void 0&&parseFloat(r)<1&&Pe("Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r,o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseFloat(r[1]))/100,Math.min(100,parseFloat(r[2]))/100,Math.min(100,parseFloat(r[3]))/100,t);break;case"hsl":case"hsla":if(r=/^\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:Pe("Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){let r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(o===6)return this.setHex(parseInt(r,16),t);Pe("Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=rn){let n=su[e.toLowerCase()];return n!==void 0?this.setHex(n,t):Pe("Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=$n(e.r),this.g=$n(e.g),this.b=$n(e.b),this}copyLinearToSRGB(e){return this.r=es(e.r),this.g=es(e.g),this.b=es(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=rn){return We.workingToColorSpace(Bt.copy(this),e),Math.round(Ze(Bt.r*255,0,255))*65536+Math.round(Ze(Bt.g*255,0,255))*256+Math.round(Ze(Bt.b*255,0,255))}getHexString(e=rn){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=We.workingColorSpace){We.workingToColorSpace(Bt.copy(this),t);let n=Bt.r,s=Bt.g,r=Bt.b,o=Math.max(n,s,r),a=Math.min(n,s,r),l,c,h=(a+o)/2;if(a===o)l=0,c=0;else{let d=o-a;switch(c=h<=.5?d/(o+a):d/(2-o-a),o){case n:l=(s-r)/d+(s<r?6:0);break;case s:l=(r-n)/d+2;break;case r:l=(n-s)/d+4;break}l/=6}return e.h=l,e.s=c,e.l=h,e}getRGB(e,t=We.workingColorSpace){return We.workingToColorSpace(Bt.copy(this),t),e.r=Bt.r,e.g=Bt.g,e.b=Bt.b,e}getStyle(e=rn){We.workingToColorSpace(Bt.copy(this),e);let t=Bt.r,n=Bt.g,s=Bt.b;return e!==rn?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(ri),this.setHSL(ri.h+e,ri.s+t,ri.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(ri),e.getHSL(gr);let n=nl(ri.h,gr.h,t),s=nl(ri.s,gr.s,t),r=nl(ri.l,gr.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){let t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}},Bt=new Ge;Ge.NAMES=su;var ui=class extends Kt{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new hi,this.environmentIntensity=1,this.environmentRotation=new hi,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),this.background=e.background!==null?e.background.clone():null,this.environment=e.environment!==null?e.environment.clone():null,this.fog=e.fog!==null?e.fog.clone():null,this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),this.overrideMaterial=e.overrideMaterial!==null?e.overrideMaterial.clone():null,this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){let t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),t.object.backgroundBlurriness=this.backgroundBlurriness,t.object.backgroundIntensity=this.backgroundIntensity,t.object.backgroundRotation=this.backgroundRotation.toArray(),t.object.environmentIntensity=this.environmentIntensity,t.object.environmentRotation=this.environmentRotation.toArray(),t}},bn=new I,Hn=new I,cl=new I,Wn=new I,Wi=new I,Xi=new I,eh=new I,hl=new I,ul=new I,dl=new I,fl=new it,pl=new it,ml=new it,ci=class i{constructor(e=new I,t=new I,n=new I){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),bn.subVectors(e,t),s.cross(bn);let r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){bn.subVectors(s,t),Hn.subVectors(n,t),cl.subVectors(e,t);let o=bn.dot(bn),a=bn.dot(Hn),l=bn.dot(cl),c=Hn.dot(Hn),h=Hn.dot(cl),d=o*c-a*a;if(d===0)return r.set(0,0,0),null;let u=1/d,f=(c*l-a*h)*u,p=(o*h-a*l)*u;return r.set(1-f-p,p,f)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,Wn)===null?!1:Wn.x>=0&&Wn.y>=0&&Wn.x+Wn.y<=1}static getInterpolation(e,t,n,s,r,o,a,l){return this.getBarycoord(e,t,n,s,Wn)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,Wn.x),l.addScaledVector(o,Wn.y),l.addScaledVector(a,Wn.z),l)}static getInterpolatedAttribute(e,t,n,s,r,o){return fl.setScalar(0),pl.setScalar(0),ml.setScalar(0),fl.fromBufferAttribute(e,t),pl.fromBufferAttribute(e,n),ml.fromBufferAttribute(e,s),o.setScalar(0),o.addScaledVector(fl,r.x),o.addScaledVector(pl,r.y),o.addScaledVector(ml,r.z),o}static isFrontFacing(e,t,n,s){return bn.subVectors(n,t),Hn.subVectors(e,t),bn.cross(Hn).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return bn.subVectors(this.c,this.b),Hn.subVectors(this.a,this.b),bn.cross(Hn).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return i.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return i.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return i.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return i.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return i.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){let n=this.a,s=this.b,r=this.c,o,a;Wi.subVectors(s,n),Xi.subVectors(r,n),hl.subVectors(e,n);let l=Wi.dot(hl),c=Xi.dot(hl);if(l<=0&&c<=0)return t.copy(n);ul.subVectors(e,s);let h=Wi.dot(ul),d=Xi.dot(ul);if(h>=0&&d<=h)return t.copy(s);let u=l*d-h*c;if(u<=0&&l>=0&&h<=0&&l-h>0)return o=l/(l-h),t.copy(n).addScaledVector(Wi,o);dl.subVectors(e,r);let f=Wi.dot(dl),p=Xi.dot(dl);if(p>=0&&f<=p)return t.copy(r);let _=f*c-l*p;if(_<=0&&c>=0&&p<=0)return a=c/(c-p),t.copy(n).addScaledVector(Xi,a);let g=h*p-f*d;if(g<=0&&d-h>=0&&f-p>=0)return eh.subVectors(r,s),a=(d-h)/(d-h+(f-p)),t.copy(s).addScaledVector(eh,a);let m=1/(g+_+u);return o=_*m,a=u*m,t.copy(n).addScaledVector(Wi,o).addScaledVector(Xi,a)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}},jt=class{constructor(e=new I(1/0,1/0,1/0),t=new I(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(Mn.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(Mn.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){let n=Mn.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);let n=e.geometry;if(n!==void 0){let r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0&&e.isBatchedMesh!==!0)for(let o=0,a=r.count;o<a;o++)e.isMesh===!0?e.getVertexPosition(o,Mn):Mn.fromBufferAttribute(r,o),Mn.applyMatrix4(e.matrixWorld),this.expandByPoint(Mn);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),yr.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),yr.copy(n.boundingBox)),yr.applyMatrix4(e.matrixWorld),this.union(yr)}let s=e.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return e.x>=this.min.x&&e.x<=this.max.x&&e.y>=this.min.y&&e.y<=this.max.y&&e.z>=this.min.z&&e.z<=this.max.z}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return e.max.x>=this.min.x&&e.min.x<=this.max.x&&e.max.y>=this.min.y&&e.min.y<=this.max.y&&e.max.z>=this.min.z&&e.min.z<=this.max.z}intersectsSphere(e){return this.clampPoint(e.center,Mn),Mn.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(Ss),vr.subVectors(this.max,Ss),qi.subVectors(e.a,Ss),$i.subVectors(e.b,Ss),Yi.subVectors(e.c,Ss),oi.subVectors($i,qi),ai.subVectors(Yi,$i),Ti.subVectors(qi,Yi);let t=[0,-oi.z,oi.y,0,-ai.z,ai.y,0,-Ti.z,Ti.y,oi.z,0,-oi.x,ai.z,0,-ai.x,Ti.z,0,-Ti.x,-oi.y,oi.x,0,-ai.y,ai.x,0,-Ti.y,Ti.x,0];return!gl(t,qi,$i,Yi,vr)||(t=[1,0,0,0,1,0,0,0,1],!gl(t,qi,$i,Yi,vr))?!1:(_r.crossVectors(oi,ai),t=[_r.x,_r.y,_r.z],gl(t,qi,$i,Yi,vr))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,Mn).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(Mn).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(Xn[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),Xn[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),Xn[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),Xn[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),Xn[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),Xn[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),Xn[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),Xn[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(Xn),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}toJSON(){return{min:this.min.toArray(),max:this.max.toArray()}}fromJSON(e){return this.min.fromArray(e.min),this.max.fromArray(e.max),this}},Xn=[new I,new I,new I,new I,new I,new I,new I,new I],Mn=new I,yr=new jt,qi=new I,$i=new I,Yi=new I,oi=new I,ai=new I,Ti=new I,Ss=new I,vr=new I,_r=new I,Ei=new I;function gl(i,e,t,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){Ei.fromArray(i,r);let a=s.x*Math.abs(Ei.x)+s.y*Math.abs(Ei.y)+s.z*Math.abs(Ei.z),l=e.dot(Ei),c=t.dot(Ei),h=n.dot(Ei);if(Math.max(-Math.max(l,c,h),Math.min(l,c,h))>a)return!1}return!0}var vt=new I,xr=new ze,ef=0,Mt=class extends Ln{constructor(e,t,n=!1){if(super(),Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,Object.defineProperty(this,"id",{value:ef++}),this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=jh,this.updateRanges=[],this.gpuType=en,this.version=0,this._normalizationScale=e!==void 0?ic(e):void 0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this._normalizationScale=e._normalizationScale,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)xr.fromBufferAttribute(this,t),xr.applyMatrix3(e),this.setXY(t,xr.x,xr.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)vt.fromBufferAttribute(this,t),vt.applyMatrix3(e),this.setXYZ(t,vt.x,vt.y,vt.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)vt.fromBufferAttribute(this,t),vt.applyMatrix4(e),this.setXYZ(t,vt.x,vt.y,vt.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)vt.fromBufferAttribute(this,t),vt.applyNormalMatrix(e),this.setXYZ(t,vt.x,vt.y,vt.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)vt.fromBufferAttribute(this,t),vt.transformDirection(e),this.setXYZ(t,vt.x,vt.y,vt.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=this._denormalize(n)),n}setComponent(e,t,n){return this.normalized&&(n=this._normalize(n)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=this._denormalize(t)),t}setX(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=this._denormalize(t)),t}setY(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=this._denormalize(t)),t}setZ(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=this._denormalize(t)),t}setW(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n),s=this._normalize(s)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n),s=this._normalize(s),r=this._normalize(r)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){let e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return e.name=this.name,e.usage=this.usage,e.gpuType=this.gpuType,e}dispose(){this.dispatchEvent({type:"dispose"})}_denormalize(e){let t=this._normalizationScale;return t!==void 0?Math.max(e/t,-1):Gd(e,this.array)}_normalize(e){let t=this._normalizationScale;return t!==void 0?Math.round(e*t):Hd(e,this.array)}};var Us=class extends Mt{constructor(e,t,n){super(new Uint16Array(e),t,n)}};var Fs=class extends Mt{constructor(e,t,n){super(new Uint32Array(e),t,n)}};var Zt=class extends Mt{constructor(e,t,n){super(new Float32Array(e),t,n)}},tf=new jt,ws=new I,yl=new I,Dn=class{constructor(e=new I,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){let n=this.center;t!==void 0?n.copy(t):tf.setFromPoints(e).getCenter(n);let s=0;for(let r=0,o=e.length;r<o;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){let t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){let n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;ws.subVectors(e,this.center);let t=ws.lengthSq();if(t>this.radius*this.radius){let n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(ws,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(yl.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(ws.copy(e.center).add(yl)),this.expandByPoint(ws.copy(e.center).sub(yl))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}toJSON(){return{radius:this.radius,center:this.center.toArray()}}fromJSON(e){return this.radius=e.radius,this.center.fromArray(e.center),this}},nf=0,pn=new Xe,vl=new Kt,Zi=new I,sn=new jt,Ts=new jt,Ct=new I,zt=class i extends Ln{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:nf++}),this.uuid=tr(),this.name="",this.type="BufferGeometry",this.index=null,this.indirect=null,this.indirectOffset=0,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={},this._transformed=!1}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(kd(e)?Fs:Us)(e,1):this.index=e,this}setIndirect(e,t=0){return this.indirect=e,this.indirectOffset=t,this}getIndirect(){return this.indirect}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){let t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);let n=this.attributes.normal;if(n!==void 0){let r=new Ne().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}let s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this._transformed=!0,this}applyQuaternion(e){return pn.makeRotationFromQuaternion(e),this.applyMatrix4(pn),this}rotateX(e){return pn.makeRotationX(e),this.applyMatrix4(pn),this}rotateY(e){return pn.makeRotationY(e),this.applyMatrix4(pn),this}rotateZ(e){return pn.makeRotationZ(e),this.applyMatrix4(pn),this}translate(e,t,n){return pn.makeTranslation(e,t,n),this.applyMatrix4(pn),this}scale(e,t,n){return pn.makeScale(e,t,n),this.applyMatrix4(pn),this}lookAt(e){return vl.lookAt(e),vl.updateMatrix(),this.applyMatrix4(vl.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(Zi).negate(),this.translate(Zi.x,Zi.y,Zi.z),this}setFromPoints(e){let t=this.getAttribute("position");if(t===void 0){let n=[];for(let s=0,r=e.length;s<r;s++){let o=e[s];n.push(o.x,o.y,o.z||0)}this.setAttribute("position",new Zt(n,3))}else{let n=Math.min(e.length,t.count);for(let s=0;s<n;s++){let r=e[s];t.setXYZ(s,r.x,r.y,r.z||0)}e.length>t.count&&Pe("BufferGeometry: Buffer size too small for points data. Use .dispose() and create a new geometry."),t.needsUpdate=!0}return this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new jt);let e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){Le("BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new I(-1/0,-1/0,-1/0),new I(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){let r=t[n];sn.setFromBufferAttribute(r),this.morphTargetsRelative?(Ct.addVectors(this.boundingBox.min,sn.min),this.boundingBox.expandByPoint(Ct),Ct.addVectors(this.boundingBox.max,sn.max),this.boundingBox.expandByPoint(Ct)):(this.boundingBox.expandByPoint(sn.min),this.boundingBox.expandByPoint(sn.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&Le('BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new Dn);let e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){Le("BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new I,1/0);return}if(e){let n=this.boundingSphere.center;if(sn.setFromBufferAttribute(e),t)for(let r=0,o=t.length;r<o;r++){let a=t[r];Ts.setFromBufferAttribute(a),this.morphTargetsRelative?(Ct.addVectors(sn.min,Ts.min),sn.expandByPoint(Ct),Ct.addVectors(sn.max,Ts.max),sn.expandByPoint(Ct)):(sn.expandByPoint(Ts.min),sn.expandByPoint(Ts.max))}sn.getCenter(n);let s=0;for(let r=0,o=e.count;r<o;r++)Ct.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(Ct));if(t)for(let r=0,o=t.length;r<o;r++){let a=t[r],l=this.morphTargetsRelative;for(let c=0,h=a.count;c<h;c++)Ct.fromBufferAttribute(a,c),l&&(Zi.fromBufferAttribute(e,c),Ct.add(Zi)),s=Math.max(s,n.distanceToSquared(Ct))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&Le('BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){let e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){Le("BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}let n=t.position,s=t.normal,r=t.uv,o=this.getAttribute("tangent");(o===void 0||o.count!==n.count)&&(o=new Mt(new Float32Array(4*n.count),4),this.setAttribute("tangent",o));let a=[],l=[],c=new Uint8Array(n.count);for(let F=0;F<n.count;F++)a[F]=new I,l[F]=new I;let h=new I,d=new I,u=new I,f=new ze,p=new ze,_=new ze,g=new I,m=new I;function M(F,N,U){c[F]=c[N]=c[U]=1,h.fromBufferAttribute(n,F),d.fromBufferAttribute(n,N),u.fromBufferAttribute(n,U),f.fromBufferAttribute(r,F),p.fromBufferAttribute(r,N),_.fromBufferAttribute(r,U),d.sub(h),u.sub(h),p.sub(f),_.sub(f);let V=1/(p.x*_.y-_.x*p.y);isFinite(V)&&(g.copy(d).multiplyScalar(_.y).addScaledVector(u,-p.y).multiplyScalar(V),m.copy(u).multiplyScalar(p.x).addScaledVector(d,-_.x).multiplyScalar(V),a[F].add(g),a[N].add(g),a[U].add(g),l[F].add(m),l[N].add(m),l[U].add(m))}let C=this.groups;C.length===0&&(C=[{start:0,count:e.count}]);for(let F=0,N=C.length;F<N;++F){let U=C[F],V=U.start,X=U.count;for(let w=V,G=V+X;w<G;w+=3)M(e.getX(w+0),e.getX(w+1),e.getX(w+2))}let E=new I,R=new I,A=new I,y=new I;function S(F){A.fromBufferAttribute(s,F),y.copy(A);let N=a[F];E.copy(N),E.sub(A.multiplyScalar(A.dot(N))).normalize(),R.crossVectors(y,N);let V=R.dot(l[F])<0?-1:1;o.setXYZW(F,E.x,E.y,E.z,V)}for(let F=0,N=n.count;F<N;++F)c[F]&&S(F);this._transformed=!0}computeVertexNormals(){let e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0||n.count!==t.count)n=new Mt(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let u=0,f=n.count;u<f;u++)n.setXYZ(u,0,0,0);let s=new I,r=new I,o=new I,a=new I,l=new I,c=new I,h=new I,d=new I;if(e)for(let u=0,f=e.count;u<f;u+=3){let p=e.getX(u+0),_=e.getX(u+1),g=e.getX(u+2);s.fromBufferAttribute(t,p),r.fromBufferAttribute(t,_),o.fromBufferAttribute(t,g),h.subVectors(o,r),d.subVectors(s,r),h.cross(d),a.fromBufferAttribute(n,p),l.fromBufferAttribute(n,_),c.fromBufferAttribute(n,g),a.add(h),l.add(h),c.add(h),n.setXYZ(p,a.x,a.y,a.z),n.setXYZ(_,l.x,l.y,l.z),n.setXYZ(g,c.x,c.y,c.z)}else for(let u=0,f=t.count;u<f;u+=3)s.fromBufferAttribute(t,u+0),r.fromBufferAttribute(t,u+1),o.fromBufferAttribute(t,u+2),h.subVectors(o,r),d.subVectors(s,r),h.cross(d),n.setXYZ(u+0,h.x,h.y,h.z),n.setXYZ(u+1,h.x,h.y,h.z),n.setXYZ(u+2,h.x,h.y,h.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){let e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)Ct.fromBufferAttribute(e,t),Ct.normalize(),e.setXYZ(t,Ct.x,Ct.y,Ct.z)}toNonIndexed(){function e(a,l){let c=a.array,h=a.itemSize,d=a.normalized,u=new c.constructor(l.length*h),f=0,p=0;for(let _=0,g=l.length;_<g;_++){a.isInterleavedBufferAttribute?f=l[_]*a.data.stride+a.offset:f=l[_]*h;for(let m=0;m<h;m++)u[p++]=c[f++]}return new Mt(u,h,d)}if(this.index===null)return Pe("BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;let t=new i,n=this.index.array,s=this.attributes;for(let a in s){let l=s[a],c=e(l,n);t.setAttribute(a,c)}let r=this.morphAttributes;for(let a in r){let l=[],c=r[a];for(let h=0,d=c.length;h<d;h++){let u=c[h],f=e(u,n);l.push(f)}t.morphAttributes[a]=l}t.morphTargetsRelative=this.morphTargetsRelative;let o=this.groups;for(let a=0,l=o.length;a<l;a++){let c=o[a];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){let e={metadata:{version:4.7,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.parameters!==void 0&&this._transformed===!0?"BufferGeometry":this.type,e.name=this.name,Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0&&this._transformed!==!0){let l=this.parameters;for(let c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};let t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});let n=this.attributes;for(let l in n){let c=n[l];e.data.attributes[l]=c.toJSON(e.data)}let s={},r=!1;for(let l in this.morphAttributes){let c=this.morphAttributes[l],h=[];for(let d=0,u=c.length;d<u;d++){let f=c[d];h.push(f.toJSON(e.data))}h.length>0&&(s[l]=h,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);let o=this.groups;o.length>0&&(e.data.groups=JSON.parse(JSON.stringify(o)));let a=this.boundingSphere;return a!==null&&(e.data.boundingSphere=a.toJSON()),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;let t={};this.name=e.name;let n=e.index;n!==null&&this.setIndex(n.clone());let s=e.attributes;for(let c in s){let h=s[c];this.setAttribute(c,h.clone(t))}let r=e.morphAttributes;for(let c in r){let h=[],d=r[c];for(let u=0,f=d.length;u<f;u++)h.push(d[u].clone(t));this.morphAttributes[c]=h}this.morphTargetsRelative=e.morphTargetsRelative;let o=e.groups;for(let c=0,h=o.length;c<h;c++){let d=o[c];this.addGroup(d.start,d.count,d.materialIndex)}let a=e.boundingBox;a!==null&&(this.boundingBox=a.clone());let l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this._transformed=e._transformed,this}dispose(){this.dispatchEvent({type:"dispose"})}};var _l=new I,sf=new I,rf=new Ne,Yt=class{constructor(e=new I(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){let s=_l.subVectors(n,t).cross(sf.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){let e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t,n=!0){let s=e.delta(_l),r=this.normal.dot(s);if(r===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;let o=-(e.start.dot(this.normal)+this.constant)/r;return n===!0&&(o<0||o>1)?null:t.copy(e.start).addScaledVector(s,o)}intersectsLine(e){let t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){let n=t||rf.getNormalMatrix(e),s=this.coplanarPoint(_l).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}toJSON(){return{normal:this.normal.toArray(),constant:this.constant}}fromJSON(e){return this.normal.fromArray(e.normal),this.constant=e.constant,this}},of=0,Zn=class extends Ln{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:of++}),this.uuid=tr(),this.name="",this.type="Material",this.blending=cs,this.side=gi,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Ul,this.blendDst=Fl,this.blendEquation=Ui,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new Ge(0,0,0),this.blendAlpha=0,this.depthFunc=ts,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=qh,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=zr,this.stencilZFail=zr,this.stencilZPass=zr,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.allowOverride=!0,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(let t in e){let n=e[t];if(n===void 0){Pe(`Material: parameter '${t}' has value of undefined.`);continue}let s=this[t];if(s===void 0){Pe(`Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector2&&n&&n.isVector2||s&&s.isEuler&&n&&n.isEuler||s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){let t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});let n={metadata:{version:4.7,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,n.blending=this.blending,n.side=this.side,n.shadowSide=this.shadowSide,n.vertexColors=this.vertexColors,n.opacity=this.opacity,n.transparent=this.transparent,n.blendSrc=this.blendSrc,n.blendDst=this.blendDst,n.blendEquation=this.blendEquation,n.blendSrcAlpha=this.blendSrcAlpha,n.blendDstAlpha=this.blendDstAlpha,n.blendEquationAlpha=this.blendEquationAlpha,n.blendColor=this.blendColor.getHex(),n.blendAlpha=this.blendAlpha,n.depthFunc=this.depthFunc,n.depthTest=this.depthTest,n.depthWrite=this.depthWrite,n.colorWrite=this.colorWrite,n.clipIntersection=this.clipIntersection,n.clipShadows=this.clipShadows,n.stencilWriteMask=this.stencilWriteMask,n.stencilFunc=this.stencilFunc,n.stencilRef=this.stencilRef,n.stencilFuncMask=this.stencilFuncMask,n.stencilFail=this.stencilFail,n.stencilZFail=this.stencilZFail,n.stencilZPass=this.stencilZPass,n.stencilWrite=this.stencilWrite,n.polygonOffset=this.polygonOffset,n.polygonOffsetFactor=this.polygonOffsetFactor,n.polygonOffsetUnits=this.polygonOffsetUnits,n.dithering=this.dithering,n.alphaTest=this.alphaTest,n.alphaHash=this.alphaHash,n.alphaToCoverage=this.alphaToCoverage,n.premultipliedAlpha=this.premultipliedAlpha,n.forceSinglePass=this.forceSinglePass,n.allowOverride=this.allowOverride,n.visible=this.visible,n.toneMapped=this.toneMapped,n.name=this.name,this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.diffuseRoughness!==void 0&&(n.diffuseRoughness=this.diffuseRoughness),this.diffuseRoughnessMap&&this.diffuseRoughnessMap.isTexture&&(n.diffuseRoughnessMap=this.diffuseRoughnessMap.toJSON(e).uuid),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.sheenColorMap&&this.sheenColorMap.isTexture&&(n.sheenColorMap=this.sheenColorMap.toJSON(e).uuid),this.sheenRoughnessMap&&this.sheenRoughnessMap.isTexture&&(n.sheenRoughnessMap=this.sheenRoughnessMap.toJSON(e).uuid),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.retroreflectivity!==void 0&&(n.retroreflectivity=this.retroreflectivity),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessMinimum!==void 0&&(n.iridescenceThicknessMinimum=this.iridescenceThicknessMinimum),this.iridescenceThicknessMaximum!==void 0&&(n.iridescenceThicknessMaximum=this.iridescenceThicknessMaximum),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),Array.isArray(this.clippingPlanes)&&this.clippingPlanes.length>0&&(n.clippingPlanes=this.clippingPlanes.map(r=>r.toJSON())),this.rotation!==void 0&&(n.rotation=this.rotation),this.depthPacking!==void 0&&(n.depthPacking=this.depthPacking),this.linewidth!==void 0&&(n.linewidth=this.linewidth),this.linecap!==void 0&&(n.linecap=this.linecap),this.linejoin!==void 0&&(n.linejoin=this.linejoin),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.wireframe!==void 0&&(n.wireframe=this.wireframe),this.wireframeLinewidth!==void 0&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!==void 0&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!==void 0&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading!==void 0&&(n.flatShading=this.flatShading),this.fog!==void 0&&(n.fog=this.fog),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){let o=[];for(let a in r){let l=r[a];delete l.metadata,o.push(l)}return o}if(t){let r=s(e.textures),o=s(e.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}fromJSON(e,t){if(e.uuid!==void 0&&(this.uuid=e.uuid),e.name!==void 0&&(this.name=e.name),e.color!==void 0&&this.color!==void 0&&this.color.setHex(e.color),e.roughness!==void 0&&(this.roughness=e.roughness),e.metalness!==void 0&&(this.metalness=e.metalness),e.sheen!==void 0&&(this.sheen=e.sheen),e.sheenColor!==void 0&&(this.sheenColor=new Ge().setHex(e.sheenColor)),e.sheenRoughness!==void 0&&(this.sheenRoughness=e.sheenRoughness),e.emissive!==void 0&&this.emissive!==void 0&&this.emissive.setHex(e.emissive),e.specular!==void 0&&this.specular!==void 0&&this.specular.setHex(e.specular),e.specularIntensity!==void 0&&(this.specularIntensity=e.specularIntensity),e.specularColor!==void 0&&this.specularColor!==void 0&&this.specularColor.setHex(e.specularColor),e.shininess!==void 0&&(this.shininess=e.shininess),e.clearcoat!==void 0&&(this.clearcoat=e.clearcoat),e.clearcoatRoughness!==void 0&&(this.clearcoatRoughness=e.clearcoatRoughness),e.diffuseRoughness!==void 0&&(this.diffuseRoughness=e.diffuseRoughness),e.dispersion!==void 0&&(this.dispersion=e.dispersion),e.retroreflectivity!==void 0&&(this.retroreflectivity=e.retroreflectivity),e.iridescence!==void 0&&(this.iridescence=e.iridescence),e.iridescenceIOR!==void 0&&(this.iridescenceIOR=e.iridescenceIOR),e.iridescenceThicknessMinimum!==void 0&&(this.iridescenceThicknessMinimum=e.iridescenceThicknessMinimum),e.iridescenceThicknessMaximum!==void 0&&(this.iridescenceThicknessMaximum=e.iridescenceThicknessMaximum),e.iridescenceThicknessRange!==void 0&&(this.iridescenceThicknessMinimum=e.iridescenceThicknessRange[0],this.iridescenceThicknessMaximum=e.iridescenceThicknessRange[1]),e.transmission!==void 0&&(this.transmission=e.transmission),e.thickness!==void 0&&(this.thickness=e.thickness),e.attenuationDistance!==void 0&&(this.attenuationDistance=e.attenuationDistance),e.attenuationColor!==void 0&&this.attenuationColor!==void 0&&this.attenuationColor.setHex(e.attenuationColor),e.anisotropy!==void 0&&(this.anisotropy=e.anisotropy),e.anisotropyRotation!==void 0&&(this.anisotropyRotation=e.anisotropyRotation),e.fog!==void 0&&(this.fog=e.fog),e.flatShading!==void 0&&(this.flatShading=e.flatShading),e.blending!==void 0&&(this.blending=e.blending),e.combine!==void 0&&(this.combine=e.combine),e.side!==void 0&&(this.side=e.side),e.shadowSide!==void 0&&(this.shadowSide=e.shadowSide),e.opacity!==void 0&&(this.opacity=e.opacity),e.transparent!==void 0&&(this.transparent=e.transparent),e.alphaTest!==void 0&&(this.alphaTest=e.alphaTest),e.alphaHash!==void 0&&(this.alphaHash=e.alphaHash),e.depthFunc!==void 0&&(this.depthFunc=e.depthFunc),e.depthTest!==void 0&&(this.depthTest=e.depthTest),e.depthWrite!==void 0&&(this.depthWrite=e.depthWrite),e.colorWrite!==void 0&&(this.colorWrite=e.colorWrite),e.clippingPlanes!==void 0&&(this.clippingPlanes=e.clippingPlanes.map(n=>new Yt().fromJSON(n))),e.clipIntersection!==void 0&&(this.clipIntersection=e.clipIntersection),e.clipShadows!==void 0&&(this.clipShadows=e.clipShadows),e.depthPacking!==void 0&&(this.depthPacking=e.depthPacking),e.blendSrc!==void 0&&(this.blendSrc=e.blendSrc),e.blendDst!==void 0&&(this.blendDst=e.blendDst),e.blendEquation!==void 0&&(this.blendEquation=e.blendEquation),e.blendSrcAlpha!==void 0&&(this.blendSrcAlpha=e.blendSrcAlpha),e.blendDstAlpha!==void 0&&(this.blendDstAlpha=e.blendDstAlpha),e.blendEquationAlpha!==void 0&&(this.blendEquationAlpha=e.blendEquationAlpha),e.blendColor!==void 0&&this.blendColor!==void 0&&this.blendColor.setHex(e.blendColor),e.blendAlpha!==void 0&&(this.blendAlpha=e.blendAlpha),e.stencilWriteMask!==void 0&&(this.stencilWriteMask=e.stencilWriteMask),e.stencilFunc!==void 0&&(this.stencilFunc=e.stencilFunc),e.stencilRef!==void 0&&(this.stencilRef=e.stencilRef),e.stencilFuncMask!==void 0&&(this.stencilFuncMask=e.stencilFuncMask),e.stencilFail!==void 0&&(this.stencilFail=e.stencilFail),e.stencilZFail!==void 0&&(this.stencilZFail=e.stencilZFail),e.stencilZPass!==void 0&&(this.stencilZPass=e.stencilZPass),e.stencilWrite!==void 0&&(this.stencilWrite=e.stencilWrite),e.wireframe!==void 0&&(this.wireframe=e.wireframe),e.wireframeLinewidth!==void 0&&(this.wireframeLinewidth=e.wireframeLinewidth),e.wireframeLinecap!==void 0&&(this.wireframeLinecap=e.wireframeLinecap),e.wireframeLinejoin!==void 0&&(this.wireframeLinejoin=e.wireframeLinejoin),e.rotation!==void 0&&(this.rotation=e.rotation),e.linewidth!==void 0&&(this.linewidth=e.linewidth),e.linecap!==void 0&&(this.linecap=e.linecap),e.linejoin!==void 0&&(this.linejoin=e.linejoin),e.dashSize!==void 0&&(this.dashSize=e.dashSize),e.gapSize!==void 0&&(this.gapSize=e.gapSize),e.scale!==void 0&&(this.scale=e.scale),e.polygonOffset!==void 0&&(this.polygonOffset=e.polygonOffset),e.polygonOffsetFactor!==void 0&&(this.polygonOffsetFactor=e.polygonOffsetFactor),e.polygonOffsetUnits!==void 0&&(this.polygonOffsetUnits=e.polygonOffsetUnits),e.dithering!==void 0&&(this.dithering=e.dithering),e.alphaToCoverage!==void 0&&(this.alphaToCoverage=e.alphaToCoverage),e.premultipliedAlpha!==void 0&&(this.premultipliedAlpha=e.premultipliedAlpha),e.forceSinglePass!==void 0&&(this.forceSinglePass=e.forceSinglePass),e.allowOverride!==void 0&&(this.allowOverride=e.allowOverride),e.visible!==void 0&&(this.visible=e.visible),e.toneMapped!==void 0&&(this.toneMapped=e.toneMapped),e.userData!==void 0&&(this.userData=e.userData),e.vertexColors!==void 0&&(typeof e.vertexColors=="number"?this.vertexColors=e.vertexColors>0:this.vertexColors=e.vertexColors),e.size!==void 0&&(this.size=e.size),e.sizeAttenuation!==void 0&&(this.sizeAttenuation=e.sizeAttenuation),e.map!==void 0&&(this.map=t[e.map]||null),e.matcap!==void 0&&(this.matcap=t[e.matcap]||null),e.alphaMap!==void 0&&(this.alphaMap=t[e.alphaMap]||null),e.bumpMap!==void 0&&(this.bumpMap=t[e.bumpMap]||null),e.bumpScale!==void 0&&(this.bumpScale=e.bumpScale),e.normalMap!==void 0&&(this.normalMap=t[e.normalMap]||null),e.normalMapType!==void 0&&(this.normalMapType=e.normalMapType),e.normalScale!==void 0){let n=e.normalScale;Array.isArray(n)===!1&&(n=[n,n]),this.normalScale=new ze().fromArray(n)}return e.displacementMap!==void 0&&(this.displacementMap=t[e.displacementMap]||null),e.displacementScale!==void 0&&(this.displacementScale=e.displacementScale),e.displacementBias!==void 0&&(this.displacementBias=e.displacementBias),e.roughnessMap!==void 0&&(this.roughnessMap=t[e.roughnessMap]||null),e.metalnessMap!==void 0&&(this.metalnessMap=t[e.metalnessMap]||null),e.emissiveMap!==void 0&&(this.emissiveMap=t[e.emissiveMap]||null),e.emissiveIntensity!==void 0&&(this.emissiveIntensity=e.emissiveIntensity),e.specularMap!==void 0&&(this.specularMap=t[e.specularMap]||null),e.specularIntensityMap!==void 0&&(this.specularIntensityMap=t[e.specularIntensityMap]||null),e.specularColorMap!==void 0&&(this.specularColorMap=t[e.specularColorMap]||null),e.envMap!==void 0&&(this.envMap=t[e.envMap]||null),e.envMapRotation!==void 0&&this.envMapRotation.fromArray(e.envMapRotation),e.envMapIntensity!==void 0&&(this.envMapIntensity=e.envMapIntensity),e.reflectivity!==void 0&&(this.reflectivity=e.reflectivity),e.refractionRatio!==void 0&&(this.refractionRatio=e.refractionRatio),e.lightMap!==void 0&&(this.lightMap=t[e.lightMap]||null),e.lightMapIntensity!==void 0&&(this.lightMapIntensity=e.lightMapIntensity),e.aoMap!==void 0&&(this.aoMap=t[e.aoMap]||null),e.aoMapIntensity!==void 0&&(this.aoMapIntensity=e.aoMapIntensity),e.gradientMap!==void 0&&(this.gradientMap=t[e.gradientMap]||null),e.clearcoatMap!==void 0&&(this.clearcoatMap=t[e.clearcoatMap]||null),e.clearcoatRoughnessMap!==void 0&&(this.clearcoatRoughnessMap=t[e.clearcoatRoughnessMap]||null),e.clearcoatNormalMap!==void 0&&(this.clearcoatNormalMap=t[e.clearcoatNormalMap]||null),e.clearcoatNormalScale!==void 0&&(this.clearcoatNormalScale=new ze().fromArray(e.clearcoatNormalScale)),e.diffuseRoughnessMap!==void 0&&(this.diffuseRoughnessMap=t[e.diffuseRoughnessMap]||null),e.iridescenceMap!==void 0&&(this.iridescenceMap=t[e.iridescenceMap]||null),e.iridescenceThicknessMap!==void 0&&(this.iridescenceThicknessMap=t[e.iridescenceThicknessMap]||null),e.transmissionMap!==void 0&&(this.transmissionMap=t[e.transmissionMap]||null),e.thicknessMap!==void 0&&(this.thicknessMap=t[e.thicknessMap]||null),e.anisotropyMap!==void 0&&(this.anisotropyMap=t[e.anisotropyMap]||null),e.sheenColorMap!==void 0&&(this.sheenColorMap=t[e.sheenColorMap]||null),e.sheenRoughnessMap!==void 0&&(this.sheenRoughnessMap=t[e.sheenRoughnessMap]||null),this}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;let t=e.clippingPlanes,n=null;if(t!==null){let s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.allowOverride=e.allowOverride,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}};var qn=new I,xl=new I,br=new I,Mr=new I,Pi=class{constructor(e=new I,t=new I(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,qn)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);let n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){let t=qn.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(qn.copy(this.origin).addScaledVector(this.direction,t),qn.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){xl.copy(e).add(t).multiplyScalar(.5),br.copy(t).sub(e).normalize(),Mr.copy(this.origin).sub(xl);let r=e.distanceTo(t)*.5,o=-this.direction.dot(br),a=Mr.dot(this.direction),l=-Mr.dot(br),c=Mr.lengthSq(),h=Math.abs(1-o*o),d,u,f,p;if(h>0)if(d=o*l-a,u=o*a-l,p=r*h,d>=0)if(u>=-p)if(u<=p){let _=1/h;d*=_,u*=_,f=d*(d+o*u+2*a)+u*(o*d+u+2*l)+c}else u=r,d=Math.max(0,-(o*u+a)),f=-d*d+u*(u+2*l)+c;else u=-r,d=Math.max(0,-(o*u+a)),f=-d*d+u*(u+2*l)+c;else u<=-p?(d=Math.max(0,-(-o*r+a)),u=d>0?-r:Math.min(Math.max(-r,-l),r),f=-d*d+u*(u+2*l)+c):u<=p?(d=0,u=Math.min(Math.max(-r,-l),r),f=u*(u+2*l)+c):(d=Math.max(0,-(o*r+a)),u=d>0?r:Math.min(Math.max(-r,-l),r),f=-d*d+u*(u+2*l)+c);else u=o>0?-r:r,d=Math.max(0,-(o*u+a)),f=-d*d+u*(u+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,d),s&&s.copy(xl).addScaledVector(br,u),f}intersectSphere(e,t){if(e.radius<0)return null;qn.subVectors(e.center,this.origin);let n=qn.dot(this.direction),s=qn.dot(qn)-n*n,r=e.radius*e.radius;if(s>r)return null;let o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,t):this.at(a,t)}intersectsSphere(e){return e.radius<0?!1:this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){let t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;let n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){let n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){let t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,o,a,l,c=1/this.direction.x,h=1/this.direction.y,d=1/this.direction.z,u=this.origin;return c>=0?(n=(e.min.x-u.x)*c,s=(e.max.x-u.x)*c):(n=(e.max.x-u.x)*c,s=(e.min.x-u.x)*c),h>=0?(r=(e.min.y-u.y)*h,o=(e.max.y-u.y)*h):(r=(e.max.y-u.y)*h,o=(e.min.y-u.y)*h),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),d>=0?(a=(e.min.z-u.z)*d,l=(e.max.z-u.z)*d):(a=(e.max.z-u.z)*d,l=(e.min.z-u.z)*d),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,qn)!==null}intersectTriangle(e,t,n,s,r){let o=this.origin,a=this.direction,l=a.x,c=a.y,h=a.z,d=e.x-o.x,u=e.y-o.y,f=e.z-o.z,p=t.x-o.x,_=t.y-o.y,g=t.z-o.z,m=n.x-o.x,M=n.y-o.y,C=n.z-o.z,E=Math.abs(l),R=Math.abs(c),A=Math.abs(h),y,S,F,N,U,V,X,w,G,q,O,te;if(E>=R&&E>=A?(F=l,V=d,G=p,te=m,l>=0?(y=c,S=h,N=u,U=f,X=_,w=g,q=M,O=C):(y=h,S=c,N=f,U=u,X=g,w=_,q=C,O=M)):R>=A?(F=c,V=u,G=_,te=M,c>=0?(y=h,S=l,N=f,U=d,X=g,w=p,q=C,O=m):(y=l,S=h,N=d,U=f,X=p,w=g,q=m,O=C)):(F=h,V=f,G=g,te=C,h>=0?(y=l,S=c,N=d,U=u,X=p,w=_,q=m,O=M):(y=c,S=l,N=u,U=d,X=_,w=p,q=M,O=m)),F===0)return null;let W=y/F,Q=S/F,ee=1/F,we=N-W*V,Fe=U-Q*V,J=X-W*G,me=w-Q*G,be=q-W*te,Ce=O-Q*te,ge=be*me-Ce*J,Be=we*Ce-Fe*be,gt=J*Fe-me*we;if(s){if(ge<0||Be<0||gt<0)return null}else if((ge<0||Be<0||gt<0)&&(ge>0||Be>0||gt>0))return null;let Ie=ge+Be+gt;if(Ie===0)return null;let Qe=ee*(ge*V+Be*G+gt*te);return(Ie>0?Qe<0:Qe>0)?null:this.at(Qe/Ie,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}},to=class extends Zn{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new Ge(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new hi,this.combine=Ol,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}},th=new Xe,Ai=new Pi,Sr=new Dn,nh=new I,wr=new I,Tr=new I,Er=new I,bl=new I,Ar=new I,ih=new I,Cr=new I,Qt=class extends Kt{constructor(e=new zt,t=new to){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.count=1,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0?this.morphTargetInfluences=e.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,e.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){let t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){let s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(e,t){let n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;t.fromBufferAttribute(s,e);let a=this.morphTargetInfluences;if(r&&a){Ar.set(0,0,0);for(let l=0,c=r.length;l<c;l++){let h=a[l],d=r[l];h!==0&&(bl.fromBufferAttribute(d,e),o?Ar.addScaledVector(bl,h):Ar.addScaledVector(bl.sub(t),h))}t.add(Ar)}return t}intersectsFrustum(e){return e.intersectsObject(this)}raycast(e,t){let n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),Sr.copy(n.boundingSphere),Sr.applyMatrix4(r),Ai.copy(e.ray).recast(e.near),!(Sr.containsPoint(Ai.origin)===!1&&(Ai.intersectSphere(Sr,nh)===null||Ai.origin.distanceToSquared(nh)>(e.far-e.near)**2))&&(th.copy(r).invert(),Ai.copy(e.ray).applyMatrix4(th),!(n.boundingBox!==null&&Ai.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,Ai)))}_computeIntersections(e,t,n){let s,r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,h=r.attributes.uv1,d=r.attributes.normal,u=r.groups,f=r.drawRange;if(a!==null)if(Array.isArray(o))for(let p=0,_=u.length;p<_;p++){let g=u[p],m=o[g.materialIndex],M=Math.max(g.start,f.start),C=Math.min(a.count,Math.min(g.start+g.count,f.start+f.count));for(let E=M,R=C;E<R;E+=3){let A=a.getX(E),y=a.getX(E+1),S=a.getX(E+2);s=Rr(this,m,e,n,c,h,d,A,y,S),s&&(s.faceIndex=Math.floor(E/3),s.face.materialIndex=g.materialIndex,t.push(s))}}else{let p=Math.max(0,f.start),_=Math.min(a.count,f.start+f.count);for(let g=p,m=_;g<m;g+=3){let M=a.getX(g),C=a.getX(g+1),E=a.getX(g+2);s=Rr(this,o,e,n,c,h,d,M,C,E),s&&(s.faceIndex=Math.floor(g/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let p=0,_=u.length;p<_;p++){let g=u[p],m=o[g.materialIndex],M=Math.max(g.start,f.start),C=Math.min(l.count,Math.min(g.start+g.count,f.start+f.count));for(let E=M,R=C;E<R;E+=3){let A=E,y=E+1,S=E+2;s=Rr(this,m,e,n,c,h,d,A,y,S),s&&(s.faceIndex=Math.floor(E/3),s.face.materialIndex=g.materialIndex,t.push(s))}}else{let p=Math.max(0,f.start),_=Math.min(l.count,f.start+f.count);for(let g=p,m=_;g<m;g+=3){let M=g,C=g+1,E=g+2;s=Rr(this,o,e,n,c,h,d,M,C,E),s&&(s.faceIndex=Math.floor(g/3),t.push(s))}}}};function af(i,e,t,n,s,r,o,a){let l;if(e.side===Xt?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,e.side===gi,a),l===null)return null;Cr.copy(a),Cr.applyMatrix4(i.matrixWorld);let c=t.ray.origin.distanceTo(Cr);return c<t.near||c>t.far?null:{distance:c,point:Cr.clone(),object:i}}function Rr(i,e,t,n,s,r,o,a,l,c){i.getVertexPosition(a,wr),i.getVertexPosition(l,Tr),i.getVertexPosition(c,Er);let h=af(i,e,t,n,wr,Tr,Er,ih);if(h){let d=new I;ci.getBarycoord(ih,wr,Tr,Er,d),s&&(h.uv=ci.getInterpolatedAttribute(s,a,l,c,d,new ze)),r&&(h.uv1=ci.getInterpolatedAttribute(r,a,l,c,d,new ze)),o&&(h.normal=ci.getInterpolatedAttribute(o,a,l,c,d,new I),h.normal.dot(n.direction)>0&&h.normal.multiplyScalar(-1));let u={a,b:l,c,normal:new I,materialIndex:0};ci.getNormal(wr,Tr,Er,u.normal),h.face=u,h.barycoord=d}return h}var Ii=class extends Jt{constructor(e=null,t=1,n=1,s,r,o,a,l,c=ct,h=ct,d,u){super(null,o,a,l,c,h,s,r,d,u),this.isDataTexture=!0,this.image={data:e,width:t,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}};var di=class extends Mt{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){let e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}},Ji=new Xe,sh=new Xe,Pr=[],rh=new jt,lf=new Xe,Es=new Qt,As=new Dn,Os=class extends Qt{constructor(e,t,n){super(e,t),this.isInstancedMesh=!0,this.instanceMatrix=new di(new Float32Array(n*16),16),this.instanceColor=null,this.morphTexture=null,this.count=n,this.boundingBox=null,this.boundingSphere=null;for(let s=0;s<n;s++)this.setMatrixAt(s,lf)}computeBoundingBox(){let e=this.geometry,t=this.count;this.boundingBox===null&&(this.boundingBox=new jt),e.boundingBox===null&&e.computeBoundingBox(),this.boundingBox.makeEmpty();for(let n=0;n<t;n++)this.getMatrixAt(n,Ji),rh.copy(e.boundingBox).applyMatrix4(Ji),this.boundingBox.union(rh)}computeBoundingSphere(){let e=this.geometry,t=this.count;this.boundingSphere===null&&(this.boundingSphere=new Dn),e.boundingSphere===null&&e.computeBoundingSphere(),this.boundingSphere.makeEmpty();for(let n=0;n<t;n++)this.getMatrixAt(n,Ji),As.copy(e.boundingSphere).applyMatrix4(Ji),this.boundingSphere.union(As)}copy(e,t){return super.copy(e,t),this.instanceMatrix.copy(e.instanceMatrix),this.morphTexture=e.morphTexture!==null?e.morphTexture.clone():null,this.instanceColor=e.instanceColor!==null?e.instanceColor.clone():null,this.count=e.count,this.boundingBox=e.boundingBox!==null?e.boundingBox.clone():null,this.boundingSphere=e.boundingSphere!==null?e.boundingSphere.clone():null,this}getColorAt(e,t){return this.instanceColor===null?t.setRGB(1,1,1):t.fromArray(this.instanceColor.array,e*3)}getMatrixAt(e,t){return t.fromArray(this.instanceMatrix.array,e*16)}getMorphAt(e,t){let n=t.morphTargetInfluences,s=this.morphTexture.source.data.data,r=n.length+1,o=e*r+1;for(let a=0;a<n.length;a++)n[a]=s[o+a]}raycast(e,t){let n=this.matrixWorld,s=this.count;if(Es.geometry=this.geometry,Es.material=this.material,Es.material!==void 0&&(this.boundingSphere===null&&this.computeBoundingSphere(),As.copy(this.boundingSphere),As.applyMatrix4(n),e.ray.intersectsSphere(As)!==!1))for(let r=0;r<s;r++){this.getMatrixAt(r,Ji),sh.multiplyMatrices(n,Ji),Es.matrixWorld=sh,Es.raycast(e,Pr);for(let o=0,a=Pr.length;o<a;o++){let l=Pr[o];l.instanceId=r,l.object=this,t.push(l)}Pr.length=0}}setColorAt(e,t){return this.instanceColor===null&&(this.instanceColor=new di(new Float32Array(this.instanceMatrix.count*3).fill(1),3)),t.toArray(this.instanceColor.array,e*3),this}setMatrixAt(e,t){return t.toArray(this.instanceMatrix.array,e*16),this}setMorphAt(e,t){let n=t.morphTargetInfluences,s=n.length+1;this.morphTexture===null&&(this.morphTexture=new Ii(new Float32Array(s*this.count),s,this.count,Ro,en));let r=this.morphTexture.source.data.data,o=0;for(let c=0;c<n.length;c++)o+=n[c];let a=this.geometry.morphTargetsRelative?1:1-o,l=s*e;return r[l]=a,r.set(n,l+1),this}updateMorphTargets(){}dispose(){super.dispose(),this.instanceMatrix.dispose(),this.instanceColor!==null&&this.instanceColor.dispose(),this.morphTexture!==null&&(this.morphTexture.dispose(),this.morphTexture=null)}},Ci=new Dn,cf=new ze(.5,.5),Ir=new I,Li=class{constructor(e=new Yt,t=new Yt,n=new Yt,s=new Yt,r=new Yt,o=new Yt){this.planes=[e,t,n,s,r,o]}set(e,t,n,s,r,o){let a=this.planes;return a[0].copy(e),a[1].copy(t),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(e){let t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=mn,n=!1){let s=this.planes,r=e.elements,o=r[0],a=r[1],l=r[2],c=r[3],h=r[4],d=r[5],u=r[6],f=r[7],p=r[8],_=r[9],g=r[10],m=r[11],M=r[12],C=r[13],E=r[14],R=r[15];if(s[0].setComponents(c-o,f-h,m-p,R-M).normalize(),s[1].setComponents(c+o,f+h,m+p,R+M).normalize(),s[2].setComponents(c+a,f+d,m+_,R+C).normalize(),s[3].setComponents(c-a,f-d,m-_,R-C).normalize(),n)s[4].setComponents(l,u,g,E).normalize(),s[5].setComponents(c-l,f-u,m-g,R-E).normalize();else if(s[4].setComponents(c-l,f-u,m-g,R-E).normalize(),t===mn)s[5].setComponents(c+l,f+u,m+g,R+E).normalize();else if(t===Ls)s[5].setComponents(l,u,g,E).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),Ci.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{let t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),Ci.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(Ci)}intersectsSprite(e){Ci.center.set(0,0,0);let t=cf.distanceTo(e.center);return Ci.radius=.7071067811865476+t,Ci.applyMatrix4(e.matrixWorld),this.intersectsSphere(Ci)}intersectsSphere(e){let t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){let t=this.planes;for(let n=0;n<6;n++){let s=t[n];if(Ir.x=s.normal.x>0?e.max.x:e.min.x,Ir.y=s.normal.y>0?e.max.y:e.min.y,Ir.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(Ir)<0)return!1}return!0}containsPoint(e){let t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}},oh=new Xe,no=class i{constructor(){this.coordinateSystem=mn,this._frustums=[],this._count=0}setFromArrayCamera(e){let t=e.cameras,n=this._frustums;for(let s=0;s<t.length;s++){let r=t[s];oh.multiplyMatrices(r.projectionMatrix,r.matrixWorldInverse),n[s]===void 0&&(n[s]=new Li),n[s].setFromProjectionMatrix(oh,r.coordinateSystem,r.reversedDepth)}return this._count=t.length,this}getFrustum(e){return this._frustums[e]}intersectsObject(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsObject(e))return!0;return!1}intersectsSprite(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsSprite(e))return!0;return!1}intersectsSphere(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsSphere(e))return!0;return!1}intersectsBox(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsBox(e))return!0;return!1}containsPoint(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].containsPoint(e))return!0;return!1}copy(e){this.coordinateSystem=e.coordinateSystem;let t=this._frustums,n=e._frustums;for(let s=0;s<e._count;s++)t[s]===void 0&&(t[s]=new Li),t[s].copy(n[s]);return this._count=e._count,this}clone(){return new i().copy(this)}};var io=class extends Zn{constructor(e){super(),this.isLineBasicMaterial=!0,this.type="LineBasicMaterial",this.color=new Ge(16777215),this.map=null,this.linewidth=1,this.linecap="round",this.linejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.linewidth=e.linewidth,this.linecap=e.linecap,this.linejoin=e.linejoin,this.fog=e.fog,this}},so=new I,ro=new I,ah=new Xe,Cs=new Pi,Lr=new Dn,Ml=new I,lh=new I,oo=class extends Kt{constructor(e=new zt,t=new io){super(),this.isLine=!0,this.type="Line",this.geometry=e,this.material=t,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0?this.morphTargetInfluences=e.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,e.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}computeLineDistances(){let e=this.geometry;if(e.index===null){let t=e.attributes.position,n=[0];for(let s=1,r=t.count;s<r;s++)so.fromBufferAttribute(t,s-1),ro.fromBufferAttribute(t,s),n[s]=n[s-1],n[s]+=so.distanceTo(ro);e.setAttribute("lineDistance",new Zt(n,1))}else Pe("Line.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}intersectsFrustum(e){return e.intersectsObject(this)}raycast(e,t){let n=this.geometry,s=this.matrixWorld,r=e.params.Line.threshold,o=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Lr.copy(n.boundingSphere),Lr.applyMatrix4(s),Lr.radius+=r,e.ray.intersectsSphere(Lr)===!1)return;ah.copy(s).invert(),Cs.copy(e.ray).applyMatrix4(ah);let a=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=a*a,c=this.isLineSegments?2:1,h=n.index,u=n.attributes.position;if(h!==null){let f=Math.max(0,o.start),p=Math.min(h.count,o.start+o.count);for(let _=f,g=p-1;_<g;_+=c){let m=h.getX(_),M=h.getX(_+1),C=Nr(this,e,Cs,l,m,M,_);C&&t.push(C)}if(this.isLineLoop){let _=h.getX(p-1),g=h.getX(f),m=Nr(this,e,Cs,l,_,g,p-1);m&&t.push(m)}}else{let f=Math.max(0,o.start),p=Math.min(u.count,o.start+o.count);for(let _=f,g=p-1;_<g;_+=c){let m=Nr(this,e,Cs,l,_,_+1,_);m&&t.push(m)}if(this.isLineLoop){let _=Nr(this,e,Cs,l,p-1,f,p-1);_&&t.push(_)}}}updateMorphTargets(){let t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){let s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}};function Nr(i,e,t,n,s,r,o){let a=i.geometry.attributes.position;if(so.fromBufferAttribute(a,s),ro.fromBufferAttribute(a,r),t.distanceSqToSegment(so,ro,Ml,lh)>n)return;Ml.applyMatrix4(i.matrixWorld);let c=e.ray.origin.distanceTo(Ml);if(!(c<e.near||c>e.far))return{distance:c,point:lh.clone().applyMatrix4(i.matrixWorld),index:o,face:null,faceIndex:null,barycoord:null,object:i}}var ch=new I,hh=new I,Bs=class extends oo{constructor(e,t){super(e,t),this.isLineSegments=!0,this.type="LineSegments"}computeLineDistances(){let e=this.geometry;if(e.index===null){let t=e.attributes.position,n=[];for(let s=0,r=t.count;s<r;s+=2)ch.fromBufferAttribute(t,s),hh.fromBufferAttribute(t,s+1),n[s]=s===0?0:n[s-1],n[s+1]=n[s]+ch.distanceTo(hh);e.setAttribute("lineDistance",new Zt(n,1))}else Pe("LineSegments.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}};var ao=class extends Zn{constructor(e){super(),this.isPointsMaterial=!0,this.type="PointsMaterial",this.color=new Ge(16777215),this.map=null,this.alphaMap=null,this.size=1,this.sizeAttenuation=!0,this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.alphaMap=e.alphaMap,this.size=e.size,this.sizeAttenuation=e.sizeAttenuation,this.fog=e.fog,this}},uh=new Xe,Al=new Pi,Dr=new Dn,Ur=new I,ks=class extends Kt{constructor(e=new zt,t=new ao){super(),this.isPoints=!0,this.type="Points",this.geometry=e,this.material=t,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0?this.morphTargetInfluences=e.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,e.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}intersectsFrustum(e){return e.intersectsObject(this)}raycast(e,t){let n=this.geometry,s=this.matrixWorld,r=e.params.Points.threshold,o=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Dr.copy(n.boundingSphere),Dr.applyMatrix4(s),Dr.radius+=r,e.ray.intersectsSphere(Dr)===!1)return;uh.copy(s).invert(),Al.copy(e.ray).applyMatrix4(uh);let a=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=a*a,c=n.index,d=n.attributes.position;if(c!==null){let u=Math.max(0,o.start),f=Math.min(c.count,o.start+o.count);for(let p=u,_=f;p<_;p++){let g=c.getX(p);Ur.fromBufferAttribute(d,g),dh(Ur,g,l,s,e,t,this)}}else{let u=Math.max(0,o.start),f=Math.min(d.count,o.start+o.count);for(let p=u,_=f;p<_;p++)Ur.fromBufferAttribute(d,p),dh(Ur,p,l,s,e,t,this)}}updateMorphTargets(){let t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){let s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}};function dh(i,e,t,n,s,r,o){let a=Al.distanceSqToPoint(i);if(a<t){let l=new I;Al.closestPointToPoint(i,l),l.applyMatrix4(n);let c=s.ray.origin.distanceTo(l);if(c<s.near||c>s.far)return;r.push({distance:c,distanceToRay:Math.sqrt(a),point:l,index:e,face:null,faceIndex:null,barycoord:null,object:o})}}var zs=class extends Jt{constructor(e=[],t=Fi,n,s,r,o,a,l,c,h){super(e,t,n,s,r,o,a,l,c,h),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}};var Sn=class extends Jt{constructor(e,t,n=an,s,r,o,a=ct,l=ct,c,h=Yn,d=1){if(h!==Yn&&h!==jn)throw new Error("THREE.DepthTexture: format must be either THREE.DepthFormat or THREE.DepthStencilFormat");let u={width:e,height:t,depth:d};super(u,s,r,o,a,l,h,n,c),this.isDepthTexture=!0,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.source=new is(Object.assign({},e.image)),this.compareFunction=e.compareFunction,this}toJSON(e){let t=super.toJSON(e);return t.compareFunction=this.compareFunction,t}},Vs=class extends Sn{constructor(e,t=an,n=Fi,s,r,o=ct,a=ct,l,c=Yn){let h={width:e,height:e,depth:1},d=[h,h,h,h,h,h];super(e,e,t,n,s,r,o,a,l,c),this.image=d,this.isCubeDepthTexture=!0,this.isCubeTexture=!0}get images(){return this.image}set images(e){this.image=e}},Gs=class extends Jt{constructor(e=null){super(),this.sourceTexture=e,this.isExternalTexture=!0}copy(e){return super.copy(e),this.sourceTexture=e.sourceTexture,this}},os=class i extends zt{constructor(e=1,t=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};let a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);let l=[],c=[],h=[],d=[],u=0,f=0;p("z","y","x",-1,-1,n,t,e,o,r,0),p("z","y","x",1,-1,n,t,-e,o,r,1),p("x","z","y",1,1,e,n,t,s,o,2),p("x","z","y",1,-1,e,n,-t,s,o,3),p("x","y","z",1,-1,e,t,n,s,r,4),p("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new Zt(c,3)),this.setAttribute("normal",new Zt(h,3)),this.setAttribute("uv",new Zt(d,2));function p(_,g,m,M,C,E,R,A,y,S,F){let N=E/y,U=R/S,V=E/2,X=R/2,w=A/2,G=y+1,q=S+1,O=0,te=0,W=new I;for(let Q=0;Q<q;Q++){let ee=Q*U-X;for(let we=0;we<G;we++){let Fe=we*N-V;W[_]=Fe*M,W[g]=ee*C,W[m]=w,c.push(W.x,W.y,W.z),W[_]=0,W[g]=0,W[m]=A>0?1:-1,h.push(W.x,W.y,W.z),d.push(we/y),d.push(1-Q/S),O+=1}}for(let Q=0;Q<S;Q++)for(let ee=0;ee<y;ee++){let we=u+ee+G*Q,Fe=u+ee+G*(Q+1),J=u+(ee+1)+G*(Q+1),me=u+(ee+1)+G*Q;l.push(we,Fe,me),l.push(Fe,J,me),te+=6}a.addGroup(f,te,F),f+=te,u+=O}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}};var Ni=class i extends zt{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};let r=e/2,o=t/2,a=Math.floor(n),l=Math.floor(s),c=a+1,h=l+1,d=e/a,u=t/l,f=[],p=[],_=[],g=[];for(let m=0;m<h;m++){let M=m*u-o;for(let C=0;C<c;C++){let E=C*d-r;p.push(E,-M,0),_.push(0,0,1),g.push(C/a),g.push(1-m/l)}}for(let m=0;m<l;m++)for(let M=0;M<a;M++){let C=M+c*m,E=M+c*(m+1),R=M+1+c*(m+1),A=M+1+c*m;f.push(C,E,A),f.push(E,R,A)}this.setIndex(f),this.setAttribute("position",new Zt(p,3)),this.setAttribute("normal",new Zt(_,3)),this.setAttribute("uv",new Zt(g,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.width,e.height,e.widthSegments,e.heightSegments)}};function Bi(i){let e={};for(let t in i){e[t]={};for(let n in i[t]){let s=i[t][n];if(fh(s))s.isRenderTargetTexture?(Pe("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone();else if(Array.isArray(s))if(fh(s[0])){let r=[];for(let o=0,a=s.length;o<a;o++)r[o]=s[o].clone();e[t][n]=r}else e[t][n]=s.slice();else e[t][n]=s}}return e}function Gt(i){let e={};for(let t=0;t<i.length;t++){let n=Bi(i[t]);for(let s in n)e[s]=n[s]}return e}function fh(i){return i&&(i.isColor||i.isMatrix3||i.isMatrix4||i.isVector2||i.isVector3||i.isVector4||i.isTexture||i.isQuaternion)}function hf(i){let e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function sc(i){let e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:We.workingColorSpace}var ru={clone:Bi,merge:Gt},uf=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,df=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`,Pt=class extends Zn{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=uf,this.fragmentShader=df,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=Bi(e.uniforms),this.uniformsGroups=hf(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this.defaultAttributeValues=Object.assign({},e.defaultAttributeValues),this.index0AttributeName=e.index0AttributeName,this.uniformsNeedUpdate=e.uniformsNeedUpdate,this}toJSON(e){let t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(let s in this.uniforms){let o=this.uniforms[s].value;o&&o.isTexture?t.uniforms[s]={type:"t",value:o.toJSON(e).uuid}:o&&o.isColor?t.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?t.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?t.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?t.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?t.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?t.uniforms[s]={type:"m4",value:o.toArray()}:t.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;let n={};for(let s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}fromJSON(e,t){if(super.fromJSON(e,t),e.uniforms!==void 0)for(let n in e.uniforms){let s=e.uniforms[n];switch(this.uniforms[n]={},s.type){case"t":this.uniforms[n].value=t[s.value]||null;break;case"c":this.uniforms[n].value=new Ge().setHex(s.value);break;case"v2":this.uniforms[n].value=new ze().fromArray(s.value);break;case"v3":this.uniforms[n].value=new I().fromArray(s.value);break;case"v4":this.uniforms[n].value=new it().fromArray(s.value);break;case"m3":this.uniforms[n].value=new Ne().fromArray(s.value);break;case"m4":this.uniforms[n].value=new Xe().fromArray(s.value);break;default:this.uniforms[n].value=s.value}}if(e.defines!==void 0&&(this.defines=e.defines),e.vertexShader!==void 0&&(this.vertexShader=e.vertexShader),e.fragmentShader!==void 0&&(this.fragmentShader=e.fragmentShader),e.glslVersion!==void 0&&(this.glslVersion=e.glslVersion),e.extensions!==void 0)for(let n in e.extensions)this.extensions[n]=e.extensions[n];return e.lights!==void 0&&(this.lights=e.lights),e.clipping!==void 0&&(this.clipping=e.clipping),this}},lo=class extends Pt{constructor(e){super(e),this.isRawShaderMaterial=!0,this.type="RawShaderMaterial"}};var co=class extends Zn{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Wh,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}},ho=class extends Zn{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}};function Ki(i,e){return!i||i.constructor===e?i:typeof e.BYTES_PER_ELEMENT=="number"?new e(i):Array.prototype.slice.call(i)}function Fr(i){return i!==void 0&&i.inTangents!==void 0&&i.outTangents!==void 0}var fi=class{constructor(e,t,n,s){this.parameterPositions=e,this._cachedIndex=0,this.resultBuffer=s!==void 0?s:new t.constructor(n),this.sampleValues=t,this.valueSize=n,this.settings=null,this.DefaultSettings_={}}evaluate(e){let t=this.parameterPositions,n=this._cachedIndex,s=t[n],r=t[n-1];n:{e:{let o;t:{i:if(!(e<s)){for(let a=n+2;;){if(s===void 0){if(e<r)break i;return n=t.length,this._cachedIndex=n,this.copySampleValue_(n-1)}if(n===a)break;if(r=s,s=t[++n],e<s)break e}o=t.length;break t}if(!(e>=r)){let a=t[1];e<a&&(n=2,r=a);for(let l=n-2;;){if(r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(n===l)break;if(s=r,r=t[--n-1],e>=r)break e}o=n,n=0;break t}break n}for(;n<o;){let a=n+o>>>1;e<t[a]?o=a:n=a+1}if(s=t[n],r=t[n-1],r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(s===void 0)return n=t.length,this._cachedIndex=n,this.copySampleValue_(n-1)}this._cachedIndex=n,this.intervalChanged_(n,r,s)}return this.interpolate_(n,r,e,s)}getSettings_(){return this.settings||this.DefaultSettings_}copySampleValue_(e){let t=this.resultBuffer,n=this.sampleValues,s=this.valueSize,r=e*s;for(let o=0;o!==s;++o)t[o]=n[r+o];return t}interpolate_(){throw new Error("THREE.Interpolant: Call to abstract method.")}intervalChanged_(){}},uo=class extends fi{constructor(e,t,n,s){super(e,t,n,s),this._weightPrev=-0,this._offsetPrev=-0,this._weightNext=-0,this._offsetNext=-0,this.DefaultSettings_={endingStart:wl,endingEnd:wl}}intervalChanged_(e,t,n){let s=this.parameterPositions,r=e-2,o=e+1,a=s[r],l=s[o];if(a===void 0)switch(this.getSettings_().endingStart){case Tl:r=e,a=2*t-n;break;case El:r=s.length-2,a=t+s[r]-s[r+1];break;default:r=e,a=n}if(l===void 0)switch(this.getSettings_().endingEnd){case Tl:o=e,l=2*n-t;break;case El:o=1,l=n+s[1]-s[0];break;default:o=e-1,l=t}let c=(n-t)*.5,h=this.valueSize;this._weightPrev=c/(t-a),this._weightNext=c/(l-n),this._offsetPrev=r*h,this._offsetNext=o*h}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=this._offsetPrev,d=this._offsetNext,u=this._weightPrev,f=this._weightNext,p=(n-t)/(s-t),_=p*p,g=_*p,m=-u*g+2*u*_-u*p,M=(1+u)*g+(-1.5-2*u)*_+(-.5+u)*p+1,C=(-1-f)*g+(1.5+f)*_+.5*p,E=f*g-f*_;for(let R=0;R!==a;++R)r[R]=m*o[h+R]+M*o[c+R]+C*o[l+R]+E*o[d+R];return r}},fo=class extends fi{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=(n-t)/(s-t),d=1-h;for(let u=0;u!==a;++u)r[u]=o[c+u]*d+o[l+u]*h;return r}},po=class extends fi{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e){return this.copySampleValue_(e-1)}},mo=class extends fi{interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=this.inTangents,d=this.outTangents;if(!h||!d){let p=(n-t)/(s-t),_=1-p;for(let g=0;g!==a;++g)r[g]=o[c+g]*_+o[l+g]*p;return r}let u=a*2,f=e-1;for(let p=0;p!==a;++p){let _=o[c+p],g=o[l+p],m=f*u+p*2,M=d[m],C=d[m+1],E=e*u+p*2,R=h[E],A=h[E+1],y=pf(n,t,M,R,s);r[p]=ou(y,_,C,A,g)}return r}};function ou(i,e,t,n,s){let r=1-i;return r*r*r*e+3*r*r*i*t+3*r*i*i*n+i*i*i*s}function ff(i,e,t,n,s){let r=1-i;return 3*r*r*(t-e)+6*r*i*(n-t)+3*i*i*(s-n)}function pf(i,e,t,n,s){let r=(i-e)/(s-e);for(let o=0;o<8;o++){let a=ou(r,e,t,n,s)-i;if(Math.abs(a)<1e-10)break;let l=ff(r,e,t,n,s);if(Math.abs(l)<1e-10)break;r=Math.max(0,Math.min(1,r-a/l))}return r}var on=class{constructor(e,t,n,s){if(e===void 0)throw new Error("THREE.KeyframeTrack: track name is undefined");if(t===void 0||t.length===0)throw new Error("THREE.KeyframeTrack: no keyframes in track named "+e);this.name=e,this.times=Ki(t,this.TimeBufferType),this.values=Ki(n,this.ValueBufferType),this.setInterpolation(s||this.DefaultInterpolation)}static toJSON(e){let t=e.constructor,n;if(t.toJSON!==this.toJSON)n=t.toJSON(e);else{n={name:e.name,times:Ki(e.times,Array),values:Ki(e.values,Array)};let s=e.getInterpolation();s!==e.DefaultInterpolation&&(n.interpolation=s),Fr(e.settings)&&(n.settings={inTangents:Ki(e.settings.inTangents,Array),outTangents:Ki(e.settings.outTangents,Array)})}return n.type=e.ValueTypeName,n}InterpolantFactoryMethodDiscrete(e){return new po(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodLinear(e){return new fo(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodSmooth(e){return new uo(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodBezier(e){let t=new mo(this.times,this.values,this.getValueSize(),e);return this.settings&&(t.inTangents=this.settings.inTangents,t.outTangents=this.settings.outTangents),t}setInterpolation(e){let t;switch(e){case Ps:t=this.InterpolantFactoryMethodDiscrete;break;case Jr:t=this.InterpolantFactoryMethodLinear;break;case kr:t=this.InterpolantFactoryMethodSmooth;break;case Sl:t=this.InterpolantFactoryMethodBezier;break}if(t===void 0){let n="unsupported interpolation for "+this.ValueTypeName+" keyframe track named "+this.name;if(this.createInterpolant===void 0)if(e!==this.DefaultInterpolation)this.setInterpolation(this.DefaultInterpolation);else throw new Error(n);return Pe("KeyframeTrack:",n),this}return this.createInterpolant=t,this}getInterpolation(){switch(this.createInterpolant){case this.InterpolantFactoryMethodDiscrete:return Ps;case this.InterpolantFactoryMethodLinear:return Jr;case this.InterpolantFactoryMethodSmooth:return kr;case this.InterpolantFactoryMethodBezier:return Sl}}getValueSize(){return this.values.length/this.times.length}shift(e){if(e!==0){let t=this.times;for(let n=0,s=t.length;n!==s;++n)t[n]+=e;Fr(this.settings)&&(ph(this.settings.inTangents,e),ph(this.settings.outTangents,e))}return this}scale(e){if(e!==1){let t=this.times;for(let n=0,s=t.length;n!==s;++n)t[n]*=e;Fr(this.settings)&&(mh(this.settings.inTangents,e),mh(this.settings.outTangents,e))}return this}trim(e,t){let n=this.times,s=n.length,r=0,o=s-1;for(;r!==s&&n[r]<e;)++r;for(;o!==-1&&n[o]>t;)--o;if(++o,r!==0||o!==s){r>=o&&(o=Math.max(o,1),r=o-1);let a=this.getValueSize();this.times=n.slice(r,o),this.values=this.values.slice(r*a,o*a)}return this}validate(){let e=!0,t=this.getValueSize();t-Math.floor(t)!==0&&(Le("KeyframeTrack: Invalid value size in track.",this),e=!1);let n=this.times,s=this.values,r=n.length;r===0&&(Le("KeyframeTrack: Track is empty.",this),e=!1);let o=null;for(let a=0;a!==r;a++){let l=n[a];if(typeof l=="number"&&isNaN(l)){Le("KeyframeTrack: Time is not a valid number.",this,a,l),e=!1;break}if(o!==null&&o>l){Le("KeyframeTrack: Out of order keys.",this,a,l,o),e=!1;break}o=l}if(s!==void 0&&zd(s))for(let a=0,l=s.length;a!==l;++a){let c=s[a];if(isNaN(c)){Le("KeyframeTrack: Value is not a valid number.",this,a,c),e=!1;break}}return e}optimize(){let e=this.times.slice(),t=this.values.slice(),n=this.getValueSize(),s=this.getInterpolation()===kr,r=e.length-1,o=1;for(let a=1;a<r;++a){let l=!1,c=e[a],h=e[a+1];if(c!==h&&(a!==1||c!==e[0]))if(s)l=!0;else{let d=a*n,u=d-n,f=d+n;for(let p=0;p!==n;++p){let _=t[d+p];if(_!==t[u+p]||_!==t[f+p]){l=!0;break}}}if(l){if(a!==o){e[o]=e[a];let d=a*n,u=o*n;for(let f=0;f!==n;++f)t[u+f]=t[d+f]}++o}}if(r>0){e[o]=e[r];for(let a=r*n,l=o*n,c=0;c!==n;++c)t[l+c]=t[a+c];++o}return o!==e.length?(this.times=e.slice(0,o),this.values=t.slice(0,o*n)):(this.times=e,this.values=t),this}clone(){let e=this.times.slice(),t=this.values.slice(),n=this.constructor,s=new n(this.name,e,t);return s.createInterpolant=this.createInterpolant,Fr(this.settings)&&(s.settings={inTangents:this.settings.inTangents.slice(),outTangents:this.settings.outTangents.slice()}),s}};function ph(i,e){for(let t=0,n=i.length;t!==n;t+=2)i[t]+=e}function mh(i,e){for(let t=0,n=i.length;t!==n;t+=2)i[t]*=e}on.prototype.ValueTypeName="";on.prototype.TimeBufferType=Float32Array;on.prototype.ValueBufferType=Float32Array;on.prototype.DefaultInterpolation=Jr;var pi=class extends on{constructor(e,t,n){super(e,t,n)}};pi.prototype.ValueTypeName="bool";pi.prototype.ValueBufferType=Array;pi.prototype.DefaultInterpolation=Ps;pi.prototype.InterpolantFactoryMethodLinear=void 0;pi.prototype.InterpolantFactoryMethodSmooth=void 0;var go=class extends on{constructor(e,t,n,s){super(e,t,n,s)}};go.prototype.ValueTypeName="color";var yo=class extends on{constructor(e,t,n,s){super(e,t,n,s)}};yo.prototype.ValueTypeName="number";var vo=class extends fi{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=(n-t)/(s-t),c=e*a;for(let h=c+a;c!==h;c+=4)Nn.slerpFlat(r,0,o,c-a,o,c,l);return r}},Hs=class extends on{constructor(e,t,n,s){super(e,t,n,s)}InterpolantFactoryMethodLinear(e){return new vo(this.times,this.values,this.getValueSize(),e)}};Hs.prototype.ValueTypeName="quaternion";Hs.prototype.InterpolantFactoryMethodSmooth=void 0;var mi=class extends on{constructor(e,t,n){super(e,t,n)}};mi.prototype.ValueTypeName="string";mi.prototype.ValueBufferType=Array;mi.prototype.DefaultInterpolation=Ps;mi.prototype.InterpolantFactoryMethodLinear=void 0;mi.prototype.InterpolantFactoryMethodSmooth=void 0;var _o=class extends on{constructor(e,t,n,s){super(e,t,n,s)}};_o.prototype.ValueTypeName="vector";var xo=class{constructor(e,t,n){let s=this,r=!1,o=0,a=0,l,c=[];this.onStart=void 0,this.onLoad=e,this.onProgress=t,this.onError=n,this._abortController=null,this.itemStart=function(h){a++,r===!1&&s.onStart!==void 0&&s.onStart(h,o,a),r=!0},this.itemEnd=function(h){o++,s.onProgress!==void 0&&s.onProgress(h,o,a),o===a&&(r=!1,s.onLoad!==void 0&&s.onLoad())},this.itemError=function(h){s.onError!==void 0&&s.onError(h)},this.resolveURL=function(h){return h=h.normalize("NFC"),l?l(h):h},this.setURLModifier=function(h){return l=h,this},this.addHandler=function(h,d){return c.push(h,d),this},this.removeHandler=function(h){let d=c.indexOf(h);return d!==-1&&c.splice(d,2),this},this.getHandler=function(h){for(let d=0,u=c.length;d<u;d+=2){let f=c[d],p=c[d+1];if(f.global&&(f.lastIndex=0),f.test(h))return p}return null},this.abort=function(){return this.abortController.abort(),this._abortController=null,this}}get abortController(){return this._abortController||(this._abortController=new AbortController),this._abortController}},au=new xo,bo=class{constructor(e){this.manager=e!==void 0?e:au,this.crossOrigin="anonymous",this.withCredentials=!1,this.path="",this.resourcePath="",this.requestHeader={},this.priority="auto",this.cache="default",typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}load(){}loadAsync(e,t){let n=this;return new Promise(function(s,r){n.load(e,s,t,r)})}parse(){}setCrossOrigin(e){return this.crossOrigin=e,this}setWithCredentials(e){return this.withCredentials=e,this}setPath(e){return this.path=e,this}setResourcePath(e){return this.resourcePath=e,this}setRequestHeader(e){return this.requestHeader=e,this}setPriority(e){return this.priority=e,this}setCache(e){return this.cache=e,this}abort(){return this}};bo.DEFAULT_MATERIAL_NAME="__DEFAULT";var Or=new I,Br=new Nn,Pn=new I,Ws=class extends Kt{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new Xe,this.projectionMatrix=new Xe,this.projectionMatrixInverse=new Xe,this.coordinateSystem=mn,this._reversedDepth=!1}get reversedDepth(){return this._reversedDepth}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorld.decompose(Or,Br,Pn),Pn.x===1&&Pn.y===1&&Pn.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Or,Br,Pn.set(1,1,1)).invert()}updateWorldMatrix(e,t,n=!1){super.updateWorldMatrix(e,t,n),this.matrixWorld.decompose(Or,Br,Pn),Pn.x===1&&Pn.y===1&&Pn.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Or,Br,Pn.set(1,1,1)).invert()}clone(){return new this.constructor().copy(this)}},li=new I,gh=new ze,yh=new ze,kt=class extends Ws{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){let t=.5*this.getFilmHeight()/e;this.fov=Kr*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){let e=Math.tan(tl*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return Kr*2*Math.atan(Math.tan(tl*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){li.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(li.x,li.y).multiplyScalar(-e/li.z),li.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(li.x,li.y).multiplyScalar(-e/li.z)}getViewSize(e,t){return this.getViewBounds(e,gh,yh),t.subVectors(yh,gh)}setViewOffset(e,t,n,s,r,o){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let e=this.near,t=e*Math.tan(tl*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s,o=this.view;if(this.view!==null&&this.view.enabled){let l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,t-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}let a=this.filmOffset;a!==0&&(r+=e*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){let t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}};var Jn=class extends Ws{constructor(e=-1,t=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2,r=n-e,o=n+e,a=s+t,l=s-t;if(this.view!==null&&this.view.enabled){let c=(this.right-this.left)/this.view.fullWidth/this.zoom,h=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=h*this.view.offsetY,l=a-h*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){let t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}};var ji=-90,Qi=1,as=class extends Kt{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;let s=new kt(ji,Qi,e,t);s.layers=this.layers,this.add(s);let r=new kt(ji,Qi,e,t);r.layers=this.layers,this.add(r);let o=new kt(ji,Qi,e,t);o.layers=this.layers,this.add(o);let a=new kt(ji,Qi,e,t);a.layers=this.layers,this.add(a);let l=new kt(ji,Qi,e,t);l.layers=this.layers,this.add(l);let c=new kt(ji,Qi,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){let e=this.coordinateSystem,t=this.children.concat(),[n,s,r,o,a,l]=t;for(let c of t)this.remove(c);if(e===mn)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===Ls)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(let c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();let{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());let[r,o,a,l,c,h]=this.children,d=e.getRenderTarget(),u=e.getActiveCubeFace(),f=e.getActiveMipmapLevel(),p=e.xr.enabled;e.xr.enabled=!1;let _=n.texture.mipmapsAutoUpdate;n.texture.mipmapsAutoUpdate=!1;let g=!1;e.isWebGLRenderer===!0?g=e.state.buffers.depth.getReversed():g=e.reversedDepthBuffer,e.setRenderTarget(n,0,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,r),e.setRenderTarget(n,1,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,o),e.setRenderTarget(n,2,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,a),e.setRenderTarget(n,3,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,l),e.setRenderTarget(n,4,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,c),n.texture.mipmapsAutoUpdate=_,e.setRenderTarget(n,5,s),g&&e.autoClear===!1&&e.clearDepth(),e.render(t,h),e.setRenderTarget(d,u,f),e.xr.enabled=p,n.texture.needsPMREMUpdate=!0}},Mo=class extends kt{constructor(e=[]){super(),this.isArrayCamera=!0,this.isMultiViewCamera=!1,this.cameras=e,this.perCameraFrustumCulled=!1}};var rc="\\[\\]\\.:\\/",mf=new RegExp("["+rc+"]","g"),oc="[^"+rc+"]",gf="[^"+rc.replace("\\.","")+"]",yf=/((?:WC+[\/:])*)/.source.replace("WC",oc),vf=/(WCOD+)?/.source.replace("WCOD",gf),_f=/(?:\.(WC+)(?:\[(.+)\])?)?/.source.replace("WC",oc),xf=/\.(WC+)(?:\[(.+)\])?/.source.replace("WC",oc),bf=new RegExp("^"+yf+vf+_f+xf+"$"),Mf=["material","materials","bones","map"],Cl=class{constructor(e,t,n){let s=n||rt.parseTrackName(t);this._targetGroup=e,this._bindings=e.subscribe_(t,s)}getValue(e,t){this.bind();let n=this._targetGroup.nCachedObjects_,s=this._bindings[n];s!==void 0&&s.getValue(e,t)}setValue(e,t){let n=this._bindings;for(let s=this._targetGroup.nCachedObjects_,r=n.length;s!==r;++s)n[s].setValue(e,t)}bind(){let e=this._bindings;for(let t=this._targetGroup.nCachedObjects_,n=e.length;t!==n;++t)e[t].bind()}unbind(){let e=this._bindings;for(let t=this._targetGroup.nCachedObjects_,n=e.length;t!==n;++t)e[t].unbind()}},rt=class i{constructor(e,t,n){this.path=t,this.parsedPath=n||i.parseTrackName(t),this.node=i.findNode(e,this.parsedPath.nodeName),this.rootNode=e,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}static create(e,t,n){return e&&e.isAnimationObjectGroup?new i.Composite(e,t,n):new i(e,t,n)}static sanitizeNodeName(e){return e.replace(/\s/g,"_").replace(mf,"")}static parseTrackName(e){let t=bf.exec(e);if(t===null)throw new Error("THREE.PropertyBinding: Cannot parse trackName: "+e);let n={nodeName:t[2],objectName:t[3],objectIndex:t[4],propertyName:t[5],propertyIndex:t[6]},s=n.nodeName&&n.nodeName.lastIndexOf(".");if(s!==void 0&&s!==-1){let r=n.nodeName.substring(s+1);Mf.indexOf(r)!==-1&&(n.nodeName=n.nodeName.substring(0,s),n.objectName=r)}if(n.propertyName===null||n.propertyName.length===0)throw new Error("THREE.PropertyBinding: can not parse propertyName from trackName: "+e);return n}static findNode(e,t){if(t===void 0||t===""||t==="."||t===-1||t===e.name||t===e.uuid)return e;if(e.skeleton){let n=e.skeleton.getBoneByName(t);if(n!==void 0)return n}if(e.children){let n=function(r){for(let o=0;o<r.length;o++){let a=r[o];if(a.name===t||a.uuid===t)return a;let l=n(a.children);if(l)return l}return null},s=n(e.children);if(s)return s}return null}_getValue_unavailable(){}_setValue_unavailable(){}_getValue_direct(e,t){e[t]=this.targetObject[this.propertyName]}_getValue_array(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)e[t++]=n[s]}_getValue_arrayElement(e,t){e[t]=this.resolvedProperty[this.propertyIndex]}_getValue_toArray(e,t){this.resolvedProperty.toArray(e,t)}_setValue_direct(e,t){this.targetObject[this.propertyName]=e[t]}_setValue_direct_setNeedsUpdate(e,t){this.targetObject[this.propertyName]=e[t],this.targetObject.needsUpdate=!0}_setValue_direct_setMatrixWorldNeedsUpdate(e,t){this.targetObject[this.propertyName]=e[t],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_array(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++]}_setValue_array_setNeedsUpdate(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++];this.targetObject.needsUpdate=!0}_setValue_array_setMatrixWorldNeedsUpdate(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++];this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_arrayElement(e,t){this.resolvedProperty[this.propertyIndex]=e[t]}_setValue_arrayElement_setNeedsUpdate(e,t){this.resolvedProperty[this.propertyIndex]=e[t],this.targetObject.needsUpdate=!0}_setValue_arrayElement_setMatrixWorldNeedsUpdate(e,t){this.resolvedProperty[this.propertyIndex]=e[t],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_fromArray(e,t){this.resolvedProperty.fromArray(e,t)}_setValue_fromArray_setNeedsUpdate(e,t){this.resolvedProperty.fromArray(e,t),this.targetObject.needsUpdate=!0}_setValue_fromArray_setMatrixWorldNeedsUpdate(e,t){this.resolvedProperty.fromArray(e,t),this.targetObject.matrixWorldNeedsUpdate=!0}_getValue_unbound(e,t){this.bind(),this.getValue(e,t)}_setValue_unbound(e,t){this.bind(),this.setValue(e,t)}bind(){let e=this.node,t=this.parsedPath,n=t.objectName,s=t.propertyName,r=t.propertyIndex;if(e||(e=i.findNode(this.rootNode,t.nodeName),this.node=e),this.getValue=this._getValue_unavailable,this.setValue=this._setValue_unavailable,!e){Pe("PropertyBinding: No target node found for track: "+this.path+".");return}if(n){let c=t.objectIndex;switch(n){case"materials":if(!e.material){Le("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!e.material.materials){Le("PropertyBinding: Can not bind to material.materials as node.material does not have a materials array.",this);return}e=e.material.materials;break;case"bones":if(!e.skeleton){Le("PropertyBinding: Can not bind to bones as node does not have a skeleton.",this);return}e=e.skeleton.bones;for(let h=0;h<e.length;h++)if(e[h].name===c){c=h;break}break;case"map":if("map"in e){e=e.map;break}if(!e.material){Le("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!e.material.map){Le("PropertyBinding: Can not bind to material.map as node.material does not have a map.",this);return}e=e.material.map;break;default:if(e[n]===void 0){Le("PropertyBinding: Can not bind to objectName of node undefined.",this);return}e=e[n]}if(c!==void 0){if(e[c]===void 0){Le("PropertyBinding: Trying to bind to objectIndex of objectName, but is undefined.",this,e);return}e=e[c]}}let o=e[s];if(o===void 0){let c=t.nodeName;Le("PropertyBinding: Trying to update property for track: "+c+"."+s+" but it wasn't found.",e);return}let a=this.Versioning.None;this.targetObject=e,e.isMaterial===!0?a=this.Versioning.NeedsUpdate:e.isObject3D===!0&&(a=this.Versioning.MatrixWorldNeedsUpdate);let l=this.BindingType.Direct;if(r!==void 0){if(s==="morphTargetInfluences"){if(!e.geometry){Le("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.",this);return}if(!e.geometry.morphAttributes){Le("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.morphAttributes.",this);return}e.morphTargetDictionary[r]!==void 0&&(r=e.morphTargetDictionary[r])}l=this.BindingType.ArrayElement,this.resolvedProperty=o,this.propertyIndex=r}else o.fromArray!==void 0&&o.toArray!==void 0?(l=this.BindingType.HasFromToArray,this.resolvedProperty=o):Array.isArray(o)?(l=this.BindingType.EntireArray,this.resolvedProperty=o):this.propertyName=s;this.getValue=this.GetterByBindingType[l],this.setValue=this.SetterByBindingTypeAndVersioning[l][a]}unbind(){this.node=null,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}};rt.Composite=Cl;rt.prototype.BindingType={Direct:0,EntireArray:1,ArrayElement:2,HasFromToArray:3};rt.prototype.Versioning={None:0,NeedsUpdate:1,MatrixWorldNeedsUpdate:2};rt.prototype.GetterByBindingType=[rt.prototype._getValue_direct,rt.prototype._getValue_array,rt.prototype._getValue_arrayElement,rt.prototype._getValue_toArray];rt.prototype.SetterByBindingTypeAndVersioning=[[rt.prototype._setValue_direct,rt.prototype._setValue_direct_setNeedsUpdate,rt.prototype._setValue_direct_setMatrixWorldNeedsUpdate],[rt.prototype._setValue_array,rt.prototype._setValue_array_setNeedsUpdate,rt.prototype._setValue_array_setMatrixWorldNeedsUpdate],[rt.prototype._setValue_arrayElement,rt.prototype._setValue_arrayElement_setNeedsUpdate,rt.prototype._setValue_arrayElement_setMatrixWorldNeedsUpdate],[rt.prototype._setValue_fromArray,rt.prototype._setValue_fromArray_setNeedsUpdate,rt.prototype._setValue_fromArray_setMatrixWorldNeedsUpdate]];var Iv=new Float32Array(1);var vh=new Xe,Xs=class{constructor(e,t,n=0,s=1/0){this.ray=new Pi(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new ss,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,t.projectionMatrix.elements[14]).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):Le("Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return vh.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(vh),this}intersectObject(e,t=!0,n=[]){return Rl(e,this,n,t),n.sort(_h),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)Rl(e[s],this,n,t);return n.sort(_h),n}};function _h(i,e){return i.distance-e.distance}function Rl(i,e,t,n){let s=!0;if(i.layers.test(e.layers)&&i.raycast(e,t)===!1&&(s=!1),s===!0&&n===!0){let r=i.children;for(let o=0,a=r.length;o<a;o++)Rl(r[o],e,t,!0)}}var Pl=class{static{this.prototype.isMatrix2=!0}constructor(e,t,n,s){this.elements=[1,0,0,1],e!==void 0&&this.set(e,t,n,s)}identity(){return this.set(1,0,0,1),this}fromArray(e,t=0){for(let n=0;n<4;n++)this.elements[n]=e[n+t];return this}set(e,t,n,s){let r=this.elements;return r[0]=e,r[2]=t,r[1]=n,r[3]=s,this}};function ac(i,e,t,n){let s=Sf(n);switch(t){case Jl:return i*e;case Ro:return i*e/s.components*s.byteLength;case Po:return i*e/s.components*s.byteLength;case yi:return i*e*2/s.components*s.byteLength;case Io:return i*e*2/s.components*s.byteLength;case Kl:return i*e*3/s.components*s.byteLength;case Vt:return i*e*4/s.components*s.byteLength;case Lo:return i*e*4/s.components*s.byteLength;case Ys:case Zs:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*8;case Js:case Ks:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Do:case Fo:return Math.max(i,16)*Math.max(e,8)/4;case No:case Uo:return Math.max(i,8)*Math.max(e,8)/2;case Oo:case Bo:case zo:case Vo:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*8;case ko:case js:case Go:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Ho:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Wo:return Math.floor((i+4)/5)*Math.floor((e+3)/4)*16;case Xo:return Math.floor((i+4)/5)*Math.floor((e+4)/5)*16;case qo:return Math.floor((i+5)/6)*Math.floor((e+4)/5)*16;case $o:return Math.floor((i+5)/6)*Math.floor((e+5)/6)*16;case Yo:return Math.floor((i+7)/8)*Math.floor((e+4)/5)*16;case Zo:return Math.floor((i+7)/8)*Math.floor((e+5)/6)*16;case Jo:return Math.floor((i+7)/8)*Math.floor((e+7)/8)*16;case Ko:return Math.floor((i+9)/10)*Math.floor((e+4)/5)*16;case jo:return Math.floor((i+9)/10)*Math.floor((e+5)/6)*16;case Qo:return Math.floor((i+9)/10)*Math.floor((e+7)/8)*16;case ea:return Math.floor((i+9)/10)*Math.floor((e+9)/10)*16;case ta:return Math.floor((i+11)/12)*Math.floor((e+9)/10)*16;case na:return Math.floor((i+11)/12)*Math.floor((e+11)/12)*16;case ia:case sa:case ra:return Math.ceil(i/4)*Math.ceil(e/4)*16;case oa:case aa:return Math.ceil(i/4)*Math.ceil(e/4)*8;case Qs:case la:return Math.ceil(i/4)*Math.ceil(e/4)*16}throw new Error(`Unable to determine texture byte length for ${t} format.`)}function Sf(i){switch(i){case Dt:case ql:return{byteLength:1,components:1};case us:case $l:case wn:return{byteLength:2,components:1};case Ao:case Co:return{byteLength:2,components:4};case an:case Eo:case en:return{byteLength:4,components:1};case Yl:case Zl:return{byteLength:4,components:3}}throw new Error(`THREE.TextureUtils: Unknown texture type ${i}.`)}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:"187"}}));typeof window<"u"&&(window.__THREE__?Pe("WARNING: Multiple instances of Three.js being imported."):window.__THREE__="187");function Ru(){let i=null,e=!1,t=null,n=null;function s(r,o){n=i.requestAnimationFrame(s),t(r,o)}return{start:function(){e!==!0&&t!==null&&i!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i!==null&&i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function Tf(i){let e=new WeakMap;function t(a,l){let c=a.array,h=a.usage,d=c.byteLength,u=i.createBuffer();i.bindBuffer(l,u),i.bufferData(l,c,h),a.onUploadCallback();let f;if(c instanceof Float32Array)f=i.FLOAT;else if(typeof Float16Array<"u"&&c instanceof Float16Array)f=i.HALF_FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?f=i.HALF_FLOAT:f=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)f=i.SHORT;else if(c instanceof Uint32Array)f=i.UNSIGNED_INT;else if(c instanceof Int32Array)f=i.INT;else if(c instanceof Int8Array)f=i.BYTE;else if(c instanceof Uint8Array)f=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)f=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:u,type:f,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:d}}function n(a,l,c){let h=l.array,d=l.updateRanges;if(i.bindBuffer(c,a),d.length===0)i.bufferSubData(c,0,h);else{d.sort((f,p)=>f.start-p.start);let u=0;for(let f=1;f<d.length;f++){let p=d[u],_=d[f];_.start<=p.start+p.count+1?p.count=Math.max(p.count,_.start+_.count-p.start):(++u,d[u]=_)}d.length=u+1;for(let f=0,p=d.length;f<p;f++){let _=d[f];i.bufferSubData(c,_.start*h.BYTES_PER_ELEMENT,h,_.start,_.count)}l.clearUpdateRanges()}l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),e.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);let l=e.get(a);l&&(i.deleteBuffer(l.buffer),e.delete(a))}function o(a,l){if(a.isInterleavedBufferAttribute&&(a=a.data),a.isGLBufferAttribute){let h=e.get(a);(!h||h.version<a.version)&&e.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}let c=e.get(a);if(c===void 0)e.set(a,t(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}var Ef=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,Af=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,Cf=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,Rf=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Pf=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,If=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,Lf=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,Nf=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,Df=`#ifdef USE_BATCHING
	#if ! defined( GL_ANGLE_multi_draw )
	#define gl_DrawID _gl_DrawID
	uniform int _gl_DrawID;
	#endif
	uniform highp sampler2D batchingTexture;
	uniform highp usampler2D batchingIdTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
	float getIndirectIndex( const in int i ) {
		int size = textureSize( batchingIdTexture, 0 ).x;
		int x = i % size;
		int y = i / size;
		return float( texelFetch( batchingIdTexture, ivec2( x, y ), 0 ).r );
	}
#endif
#ifdef USE_BATCHING_COLOR
	uniform sampler2D batchingColorTexture;
	vec4 getBatchingColor( const in float i ) {
		int size = textureSize( batchingColorTexture, 0 ).x;
		int j = int( i );
		int x = j % size;
		int y = j / size;
		return texelFetch( batchingColorTexture, ivec2( x, y ), 0 );
	}
#endif`,Uf=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( getIndirectIndex( gl_DrawID ) );
#endif`,Ff=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Of=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,Bf=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,kf=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,zf=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,Vf=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,Gf=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,Hf=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,Wf=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,Xf=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#endif`,qf=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#endif`,$f=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	varying vec4 vColor;
#endif`,Yf=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	vColor = vec4( 1.0 );
#endif
#ifdef USE_COLOR_ALPHA
	vColor *= color;
#elif defined( USE_COLOR )
	vColor.rgb *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.rgb *= instanceColor.rgb;
#endif
#ifdef USE_BATCHING_COLOR
	vColor *= getBatchingColor( getIndirectIndex( gl_DrawID ) );
#endif`,Zf=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
#define inverseTransformDirection transformDirectionByInverseViewMatrix
vec3 transformNormalByInverseViewMatrix( in vec3 normal, in mat4 viewMatrix ) {
	return normalize( ( vec4( normal, 0.0 ) * viewMatrix ).xyz );
}
vec3 transformDirectionByInverseViewMatrix( in vec3 dir, in mat4 viewMatrix ) {
	return normalize( ( vec4( dir, 0.0 ) * viewMatrix ).xyz );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,Jf=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
#endif`,Kf=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,jf=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,Qf=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	#ifdef DECODE_VIDEO_TEXTURE_EMISSIVE
		emissiveColor = sRGBTransferEOTF( emissiveColor );
	#endif
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,ep=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,tp="gl_FragColor = linearToOutputTexel( gl_FragColor );",np=`vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferEOTF( in vec4 value ) {
	return vec4( mix( pow( value.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), value.rgb * 0.0773993808, vec3( lessThanEqual( value.rgb, vec3( 0.04045 ) ) ) ), value.a );
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}`,ip=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * reflectVec );
		#ifdef ENVMAP_BLENDING_MULTIPLY
			outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_MIX )
			outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_ADD )
			outgoingLight += envColor.xyz * specularStrength * reflectivity;
		#endif
	#endif
#endif`,sp=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform mat3 envMapRotation;
	uniform samplerCube envMap;
	#ifdef ENVMAP_TYPE_PMREM
		float roughnessToMip( const in float roughness ) {
			float r = clamp( roughness, 0.0, 1.0 );
			return ENVMAP_MAX_LOD * r * ( 2.0 - r );
		}
	#endif
#endif`,rp=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,op=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,ap=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,lp=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,cp=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,hp=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,up=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,dp=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,fp=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,pp=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,mp=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,gp=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
	if ( cutoffDistance > 0.0 ) {
		distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
	}
	return distanceFalloff;
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_SUN_LIGHTS > 0
	struct SunLight {
		vec3 direction;
		vec3 color;
	};
	uniform SunLight sunLights[ NUM_SUN_LIGHTS ];
	void getSunLightInfo( const in SunLight sunLight, out IncidentLight light ) {
		light.color = sunLight.color;
		light.direction = sunLight.direction;
		light.visible = true;
	}
#endif
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif
#include <lightprobes_pars_fragment>`,yp=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * worldNormal, ENVMAP_MAX_LOD );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, pow4( roughness ) ) );
			reflectVec = transformDirectionByInverseViewMatrix( reflectVec, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * reflectVec, roughnessToMip( roughness ) );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_RETROREFLECTION
		vec3 getIBLRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 retroVec = normalize( mix( viewDir, normal, pow4( roughness ) ) );
				retroVec = transformDirectionByInverseViewMatrix( retroVec, viewMatrix );
				vec4 envMapColor = textureLod( envMap, envMapRotation * retroVec, roughnessToMip( roughness ) );
				return envMapColor.rgb * envMapIntensity;
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
		#ifdef USE_RETROREFLECTION
			vec3 getIBLAnisotropyRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
				#ifdef ENVMAP_TYPE_PMREM
					vec3 bentNormal = cross( bitangent, viewDir );
					bentNormal = normalize( cross( bentNormal, bitangent ) );
					bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
					return getIBLRetroRadiance( viewDir, bentNormal, roughness );
				#else
					return vec3( 0.0 );
				#endif
			}
		#endif
	#endif
#endif`,vp=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,_p=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,xp=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,bp=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,Mp=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.diffuseContribution = diffuseColor.rgb * ( 1.0 - metalnessFactor );
material.metalness = metalnessFactor;
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.045 );
material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef USE_DIFFUSE_ROUGHNESS
	float diffuseRoughnessFactor = diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		diffuseRoughnessFactor *= texture2D( diffuseRoughnessMap, vDiffuseRoughnessMapUv ).r;
	#endif
	material.diffuseRoughness = saturate( diffuseRoughnessFactor );
#endif
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor;
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = vec3( 0.04 );
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.045 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_RETROREFLECTION
	material.retroreflectivity = retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.0001, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,Sp=`uniform sampler2D dfgLUT;
struct PhysicalMaterial {
	vec3 diffuseColor;
	vec3 diffuseContribution;
	vec3 specularColor;
	vec3 specularColorBlended;
	float roughness;
	float metalness;
	float specularF90;
	float dispersion;
	vec2 dfg;
	vec3 multiScatteringCompensation;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float diffuseRoughness;
	#endif
	#ifdef USE_RETROREFLECTION
		float retroreflectivity;
	#endif
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0Dielectric;
		vec3 iridescenceF0Metallic;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
#ifdef USE_DIFFUSE_ROUGHNESS
	const float EON_EPSILON = 1e-7;
	float FON_DirectionalAlbedo( const in float mu, const in float roughness, const in float A ) {
		float muComp = 1.0 - mu;
		float gOverPi = muComp * ( 0.0571085289 + muComp * ( 0.491881867 + muComp * ( - 0.332181442 + muComp * 0.0714429953 ) ) );
		return A * ( 1.0 + roughness * gOverPi );
	}
	vec3 BRDF_EON( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 diffuseColor, const in float roughness ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return BRDF_Lambert( rho );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float s = dot( lightDir, viewDir ) - dotNL * dotNV;
		float sOverT = ( s > 0.0 ) ? s / max( max( dotNL, dotNV ), EON_EPSILON ) : s;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		vec3 singleScatter = rho * RECIPROCAL_PI * A * ( 1.0 + roughness * sOverT );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		float albedoV = FON_DirectionalAlbedo( dotNV, roughness, A );
		float albedoL = FON_DirectionalAlbedo( dotNL, roughness, A );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		vec3 multiScatter = rhoMultiScatter * RECIPROCAL_PI
			* max( EON_EPSILON, 1.0 - albedoV )
			* max( EON_EPSILON, 1.0 - albedoL )
			/ max( EON_EPSILON, 1.0 - averageAlbedo );
		return singleScatter + multiScatter;
	}
	vec3 EON_DirectionalAlbedo( const in vec3 diffuseColor, const in float roughness, const in float dotNV ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return rho;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		float directionalAlbedo = FON_DirectionalAlbedo( dotNV, roughness, A );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		return rho * directionalAlbedo + rhoMultiScatter * ( 1.0 - directionalAlbedo );
	}
#endif
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		return 0.5 / max( gv + gl, EPSILON );
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = max( material.clearcoatRoughness, 0.045 );
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColorBlended;
	float f90 = material.specularF90;
	float roughness = max( material.roughness, 0.045 );
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float alphaT = max( material.alphaT, alpha );
		float V = V_GGX_SmithCorrelated_Anisotropic( alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transpose( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float rInv = 1.0 / ( roughness + 0.1 );
	float a = -1.9362 + 1.0678 * roughness + 0.4573 * r2 - 0.8469 * rInv;
	float b = -0.6014 + 0.5538 * roughness - 0.4670 * r2 - 0.1255 * rInv;
	float DG = exp( a * dotNV + b );
	return saturate( DG );
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	vec2 fab = texture2D( dfgLUT, vec2( roughness, dotNV ) ).rg;
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec2 fab, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec2 fab, const in vec3 specularColor, const in float specularF90, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColorBlended * t2.x + ( material.specularF90 - material.specularColorBlended ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseContribution * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
		#ifdef USE_CLEARCOAT
			vec3 Ncc = geometryClearcoatNormal;
			vec2 uvClearcoat = LTC_Uv( Ncc, viewDir, material.clearcoatRoughness );
			vec4 t1Clearcoat = texture2D( ltc_1, uvClearcoat );
			vec4 t2Clearcoat = texture2D( ltc_2, uvClearcoat );
			mat3 mInvClearcoat = mat3(
				vec3( t1Clearcoat.x, 0, t1Clearcoat.y ),
				vec3(             0, 1,             0 ),
				vec3( t1Clearcoat.z, 0, t1Clearcoat.w )
			);
			vec3 fresnelClearcoat = material.clearcoatF0 * t2Clearcoat.x + ( material.clearcoatF90 - material.clearcoatF0 ) * t2Clearcoat.y;
			clearcoatSpecularDirect += lightColor * fresnelClearcoat * LTC_Evaluate( Ncc, viewDir, position, mInvClearcoat, rectCoords );
		#endif
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
 
 		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
 
 		float sheenAlbedoV = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
 		float sheenAlbedoL = IBLSheenBRDF( geometryNormal, directLight.direction, material.sheenRoughness );
 
 		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * max( sheenAlbedoV, sheenAlbedoL );
 
 		irradiance *= sheenEnergyComp;
 
 	#endif
	vec3 specularBRDF = BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	#ifdef USE_RETROREFLECTION
		vec3 retroViewDir = reflect( - geometryViewDir, geometryNormal );
		vec3 retroSpecularBRDF = BRDF_GGX( directLight.direction, retroViewDir, geometryNormal, material );
		specularBRDF = mix( specularBRDF, retroSpecularBRDF, saturate( material.retroreflectivity ) );
	#endif
	reflectedLight.directSpecular += irradiance * specularBRDF * material.multiScatteringCompensation;
	vec3 halfDir = normalize( directLight.direction + geometryViewDir );
	float dotVH = saturate( dot( geometryViewDir, halfDir ) );
	vec3 F = F_Schlick( material.specularColor, material.specularF90, dotVH );
	#ifdef USE_RETROREFLECTION
		vec3 retroHalfDir = normalize( directLight.direction + retroViewDir );
		float dotRetroVH = saturate( dot( retroViewDir, retroHalfDir ) );
		vec3 retroF = F_Schlick( material.specularColor, material.specularF90, dotRetroVH );
		F = mix( F, retroF, saturate( material.retroreflectivity ) );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		vec3 diffuseBRDF = BRDF_EON( directLight.direction, geometryViewDir, geometryNormal, material.diffuseColor, material.diffuseRoughness ) * ( 1.0 - material.metalness );
	#else
		vec3 diffuseBRDF = BRDF_Lambert( material.diffuseContribution );
	#endif
	reflectedLight.directDiffuse += irradiance * diffuseBRDF * ( 1.0 - F );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScattering, multiScattering );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScattering, multiScattering );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuseAlbedo = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness );
		vec3 diffuse = irradiance * RECIPROCAL_PI * diffuseAlbedo * ( 1.0 - singleScattering - multiScattering );
	#else
		vec3 diffuse = irradiance * BRDF_Lambert( material.diffuseContribution ) * ( 1.0 - singleScattering - multiScattering );
	#endif
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		sheenSpecularIndirect += irradiance * material.sheenColor * sheenAlbedo * RECIPROCAL_PI;
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		diffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectDiffuse += diffuse;
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness ) * RECIPROCAL_PI;
 	#endif
	vec3 singleScatteringDielectric = vec3( 0.0 );
	vec3 multiScatteringDielectric = vec3( 0.0 );
	vec3 singleScatteringMetallic = vec3( 0.0 );
	vec3 multiScatteringMetallic = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscatteringIridescence( material.dfg, material.diffuseColor, material.specularF90, material.iridescence, material.iridescenceF0Metallic, singleScatteringMetallic, multiScatteringMetallic );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscattering( material.dfg, material.diffuseColor, material.specularF90, singleScatteringMetallic, multiScatteringMetallic );
	#endif
	vec3 singleScattering = mix( singleScatteringDielectric, singleScatteringMetallic, material.metalness );
	vec3 multiScattering = mix( multiScatteringDielectric, multiScatteringMetallic, material.metalness );
	vec3 totalScatteringDielectric = singleScatteringDielectric + multiScatteringDielectric;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuse = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness ) * ( 1.0 - totalScatteringDielectric );
	#else
		vec3 diffuse = material.diffuseContribution * ( 1.0 - totalScatteringDielectric );
	#endif
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	vec3 indirectSpecular = radiance * singleScattering;
	indirectSpecular += multiScattering * cosineWeightedIrradiance;
	vec3 indirectDiffuse = diffuse * cosineWeightedIrradiance;
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		indirectSpecular *= sheenEnergyComp;
		indirectDiffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectSpecular += indirectSpecular;
	reflectedLight.indirectDiffuse += indirectDiffuse;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,wp=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		vec3 iridescenceFresnelDielectric = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		vec3 iridescenceFresnelMetallic = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.diffuseColor );
		material.iridescenceFresnel = mix( iridescenceFresnelDielectric, iridescenceFresnelMetallic, material.metalness );
		material.iridescenceF0Dielectric = Schlick_to_F0( iridescenceFresnelDielectric, 1.0, dotNVi );
		material.iridescenceF0Metallic = Schlick_to_F0( iridescenceFresnelMetallic, 1.0, dotNVi );
	}
#endif
#ifdef STANDARD
	float dotNVms = saturate( dot( geometryNormal, geometryViewDir ) );
	material.dfg = texture2D( dfgLUT, vec2( material.roughness, dotNVms ) ).rg;
	#if ( NUM_SUN_LIGHTS > 0 || NUM_DIR_LIGHTS > 0 || NUM_POINT_LIGHTS > 0 || NUM_SPOT_LIGHTS > 0 )
		float EssMs = material.dfg.x + material.dfg.y;
		material.multiScatteringCompensation = 1.0 + material.specularColorBlended * ( 1.0 / EssMs - 1.0 );
	#endif
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS ) && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowIntensity, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowIntensity, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SUN_LIGHTS > 0 ) && defined( RE_Direct )
	SunLight sunLight;
	#if defined( USE_SHADOWMAP ) && NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHTS; i ++ ) {
		sunLight = sunLights[ i ];
		getSunLightInfo( sunLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SUN_LIGHT_SHADOWS )
		sunLightShadow = sunLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getSunShadow( sunShadowMap[ i ], sunLightShadow, UNROLLED_LOOP_INDEX ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowIntensity, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_LIGHT_PROBE_GRIDS > 0
		vec3 probeWorldPos = ( ( vec4( geometryPosition, 1.0 ) - viewMatrix[ 3 ] ) * viewMatrix ).xyz;
		vec3 probeWorldNormal = transformNormalByInverseViewMatrix( geometryNormal, viewMatrix );
		int probeGrid = - 1;
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( isInsideLightProbeGrid( probeWorldPos, probeWorldNormal, probesMin[ i ], probesMax[ i ], probesResolution[ i ] ) ) probeGrid = UNROLLED_LOOP_INDEX;
		}
		#pragma unroll_loop_end
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( probeGrid == UNROLLED_LOOP_INDEX ) irradiance += getLightProbeGridIrradiance( probesSH[ i ], probesMin[ i ], probesMax[ i ], probesResolution[ i ], probeWorldPos, probeWorldNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,Tp=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( ENVMAP_TYPE_PMREM )
		#if defined( STANDARD ) || defined( LAMBERT ) || defined( PHONG )
			iblIrradiance += getIBLIrradiance( geometryNormal );
		#endif
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		vec3 iblRadiance = getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		vec3 iblRadiance = getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_RETROREFLECTION
		#ifdef USE_ANISOTROPY
			vec3 retroIBLRadiance = getIBLAnisotropyRetroRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
		#else
			vec3 retroIBLRadiance = getIBLRetroRadiance( geometryViewDir, geometryNormal, material.roughness );
		#endif
		iblRadiance = mix( iblRadiance, retroIBLRadiance, saturate( material.retroreflectivity ) );
	#endif
	radiance += iblRadiance;
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,Ep=`#if defined( RE_IndirectDiffuse )
	#if defined( LAMBERT ) || defined( PHONG )
		irradiance += iblIrradiance;
	#endif
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,Ap=`#if NUM_LIGHT_PROBE_GRIDS > 0
uniform highp sampler3D probesSH[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMin[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMax[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesResolution[ NUM_LIGHT_PROBE_GRIDS ];
bool isInsideLightProbeGrid( vec3 worldPos, vec3 worldNormal, vec3 probesMin, vec3 probesMax, vec3 probesResolution ) {
	vec3 spacing = ( probesMax - probesMin ) / probesResolution;
	vec3 samplePos = worldPos + worldNormal * spacing * 0.5;
	vec3 margin = spacing * 0.01;
	return all( greaterThanEqual( samplePos, probesMin - margin ) ) && all( lessThanEqual( samplePos, probesMax + margin ) );
}
vec3 getLightProbeGridIrradiance( highp sampler3D probesSH, vec3 probesMin, vec3 probesMax, vec3 probesResolution, vec3 worldPos, vec3 worldNormal ) {
	vec3 res = probesResolution;
	vec3 gridRange = probesMax - probesMin;
	vec3 probeSpacing = gridRange / res;
	vec3 samplePos = worldPos + worldNormal * probeSpacing * 0.5;
	vec3 uvw = clamp( ( samplePos - probesMin ) / gridRange, 0.5 / res, 1.0 - 0.5 / res );
	float nz          = res.z;
	float paddedSlices = nz + 2.0;
	float atlasDepth  = 7.0 * paddedSlices;
	float uvZBase     = uvw.z * nz + 1.0;
	vec4 s0 = texture( probesSH, vec3( uvw.xy, ( uvZBase                       ) / atlasDepth ) );
	vec4 s1 = texture( probesSH, vec3( uvw.xy, ( uvZBase +       paddedSlices   ) / atlasDepth ) );
	vec4 s2 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 2.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s3 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 3.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s4 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 4.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s5 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 5.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s6 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 6.0 * paddedSlices   ) / atlasDepth ) );
	vec3 c0 = s0.xyz;
	vec3 c1 = vec3( s0.w, s1.xy );
	vec3 c2 = vec3( s1.zw, s2.x );
	vec3 c3 = s2.yzw;
	vec3 c4 = s3.xyz;
	vec3 c5 = vec3( s3.w, s4.xy );
	vec3 c6 = vec3( s4.zw, s5.x );
	vec3 c7 = s5.yzw;
	vec3 c8 = s6.xyz;
	float x = worldNormal.x, y = worldNormal.y, z = worldNormal.z;
	vec3 result = c0 * 0.886227;
	result += c1 * 2.0 * 0.511664 * y;
	result += c2 * 2.0 * 0.511664 * z;
	result += c3 * 2.0 * 0.511664 * x;
	result += c4 * 2.0 * 0.429043 * x * y;
	result += c5 * 2.0 * 0.429043 * y * z;
	result += c6 * ( 0.743125 * z * z - 0.247708 );
	result += c7 * 2.0 * 0.429043 * x * z;
	result += c8 * 0.429043 * ( x * x - y * y );
	return max( result, vec3( 0.0 ) );
}
#endif`,Cp=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,Rp=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,Pp=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,Ip=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,Lp=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = sRGBTransferEOTF( sampledDiffuseColor );
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,Np=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,Dp=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,Up=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Fp=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,Op=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,Bp=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,kp=`#if defined( USE_MORPHCOLORS )
	#if defined( USE_COLOR_ALPHA )
		vColor *= morphTargetBaseInfluence;
	#elif defined( USE_COLOR )
		vColor.rgb *= morphTargetBaseInfluence;
	#endif
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor.rgb += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,zp=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,Vp=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
		uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	#endif
	uniform sampler2DArray morphTargetsTexture;
	uniform ivec2 morphTargetsTextureSize;
	vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
		int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
		int y = texelIndex / morphTargetsTextureSize.x;
		int x = texelIndex - y * morphTargetsTextureSize.x;
		ivec3 morphUV = ivec3( x, y, morphTargetIndex );
		return texelFetch( morphTargetsTexture, morphUV, 0 );
	}
#endif`,Gp=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,Hp=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#ifdef DOUBLE_SIDED
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#ifdef DOUBLE_SIDED
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,Wp=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#if defined( USE_PACKED_NORMALMAP )
		mapN = vec3( mapN.xy, sqrt( saturate( 1.0 - dot( mapN.xy, mapN.xy ) ) ) );
	#endif
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,Xp=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,qp=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,$p=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
		#ifdef FLIP_SIDED
			vBitangent = - vBitangent;
		#endif
	#endif
#endif`,Yp=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,Zp=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,Jp=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,Kp=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,jp=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,Qp=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,em=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;const float ShiftRight8 = 1. / 256.;
const float Inv255 = 1. / 255.;
const vec4 PackFactors = vec4( 1.0, 256.0, 256.0 * 256.0, 256.0 * 256.0 * 256.0 );
const vec2 UnpackFactors2 = vec2( UnpackDownscale, 1.0 / PackFactors.g );
const vec3 UnpackFactors3 = vec3( UnpackDownscale / PackFactors.rg, 1.0 / PackFactors.b );
const vec4 UnpackFactors4 = vec4( UnpackDownscale / PackFactors.rgb, 1.0 / PackFactors.a );
vec4 packDepthToRGBA( const in float v ) {
	if( v <= 0.0 )
		return vec4( 0., 0., 0., 0. );
	if( v >= 1.0 )
		return vec4( 1., 1., 1., 1. );
	float vuf;
	float af = modf( v * PackFactors.a, vuf );
	float bf = modf( vuf * ShiftRight8, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec4( vuf * Inv255, gf * PackUpscale, bf * PackUpscale, af );
}
vec3 packDepthToRGB( const in float v ) {
	if( v <= 0.0 )
		return vec3( 0., 0., 0. );
	if( v >= 1.0 )
		return vec3( 1., 1., 1. );
	float vuf;
	float bf = modf( v * PackFactors.b, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec3( vuf * Inv255, gf * PackUpscale, bf );
}
vec2 packDepthToRG( const in float v ) {
	if( v <= 0.0 )
		return vec2( 0., 0. );
	if( v >= 1.0 )
		return vec2( 1., 1. );
	float vuf;
	float gf = modf( v * 256., vuf );
	return vec2( vuf * Inv255, gf );
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors4 );
}
float unpackRGBToDepth( const in vec3 v ) {
	return dot( v, UnpackFactors3 );
}
float unpackRGToDepth( const in vec2 v ) {
	return v.r * UnpackFactors2.r + v.g * UnpackFactors2.g;
}
vec4 pack2HalfToRGBA( const in vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( const in vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	#ifdef USE_REVERSED_DEPTH_BUFFER
	
		return depth * ( far - near ) - far;
	#else
		return depth * ( near - far ) - near;
	#endif
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	
	#ifdef USE_REVERSED_DEPTH_BUFFER
		return ( near * far ) / ( ( near - far ) * depth - near );
	#else
		return ( near * far ) / ( ( far - near ) * depth - far );
	#endif
}`,tm=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,nm=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,im=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,sm=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,rm=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,om=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,am=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		#define SUN_LIGHT_CASCADES 2
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#else
			uniform sampler2D sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#endif
		uniform mat4 sunShadowMatrix[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		uniform vec4 sunShadowCascade[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
		struct SunLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SunLightShadow sunLightShadows[ NUM_SUN_LIGHT_SHADOWS ];
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#else
			uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#endif
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#else
			uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#endif
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform samplerCubeShadow pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#elif defined( SHADOWMAP_TYPE_BASIC )
			uniform samplerCube pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#endif
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float interleavedGradientNoise( vec2 position ) {
			return fract( 52.9829189 * fract( dot( position, vec2( 0.06711056, 0.00583715 ) ) ) );
		}
		vec2 vogelDiskSample( int sampleIndex, int samplesCount, float phi ) {
			const float goldenAngle = 2.399963229728653;
			float r = sqrt( ( float( sampleIndex ) + 0.5 ) / float( samplesCount ) );
			float theta = float( sampleIndex ) * goldenAngle + phi;
			return vec2( cos( theta ), sin( theta ) ) * r;
		}
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float getShadow( sampler2DShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
				vec2 radius = shadowRadius * texelSize;
				float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
				shadow = (
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 0, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 1, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 2, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 3, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 4, 5, phi ) * radius, shadowCoord.z ) )
				) * 0.2;
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#elif defined( SHADOWMAP_TYPE_VSM )
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 distribution = texture2D( shadowMap, shadowCoord.xy ).rg;
				float mean = distribution.x;
				float variance = distribution.y * distribution.y;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					float hard_shadow = step( mean, shadowCoord.z );
				#else
					float hard_shadow = step( shadowCoord.z, mean );
				#endif
				
				if ( hard_shadow == 1.0 ) {
					shadow = 1.0;
				} else {
					variance = max( variance, 0.0000001 );
					float d = shadowCoord.z - mean;
					float p_max = variance / ( variance + d * d );
					p_max = clamp( ( p_max - 0.3 ) / 0.65, 0.0, 1.0 );
					shadow = max( hard_shadow, p_max );
				}
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#else
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				float depth = texture2D( shadowMap, shadowCoord.xy ).r;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					shadow = step( depth, shadowCoord.z );
				#else
					shadow = step( shadowCoord.z, depth );
				#endif
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#endif
	#if NUM_SUN_LIGHT_SHADOWS > 0
		float getSunShadow(
			#if defined( SHADOWMAP_TYPE_PCF )
				sampler2DShadow shadowMap,
			#else
				sampler2D shadowMap,
			#endif
			SunLightShadow sunLightShadow,
			int shadowIndex
		) {
			vec4 shadowWorldPosition = vec4( vSunShadowWorldPosition.xyz + vSunShadowWorldNormal * sunLightShadow.shadowNormalBias, 1.0 );
			float viewDepth = vSunShadowWorldPosition.w;
			int cascadeOffset = shadowIndex * SUN_LIGHT_CASCADES;
			float shadow = 1.0;
			for ( int i = SUN_LIGHT_CASCADES - 1; i >= 0; i -- ) {
				vec4 cascade = sunShadowCascade[ cascadeOffset + i ];
				if ( viewDepth >= cascade.x && viewDepth < cascade.y ) {
					float cascadeShadow = getShadow(
						shadowMap,
						sunLightShadow.shadowMapSize,
						sunLightShadow.shadowIntensity,
						sunLightShadow.shadowBias,
						sunLightShadow.shadowRadius,
						sunShadowMatrix[ cascadeOffset + i ] * shadowWorldPosition
					);
					shadow = mix( cascadeShadow, shadow, smoothstep( cascade.z, cascade.y, viewDepth ) );
				}
			}
			return shadow;
		}
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	#if defined( SHADOWMAP_TYPE_PCF )
	float getPointShadow( samplerCubeShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 bd3D = normalize( lightToPosition );
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float lightDistance = length( lightToPosition );
			float depthRange = shadowCameraFar - shadowCameraNear;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				float depthA = - shadowCameraNear / depthRange - shadowBias;
				float depthB = shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#else
				float depthA = shadowCameraFar / depthRange + shadowBias;
				float depthB = - shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#endif
			float texelSize = shadowRadius / shadowMapSize.x;
			vec3 absDir = abs( bd3D );
			vec3 tangent = absDir.x > absDir.z ? vec3( 0.0, 1.0, 0.0 ) : vec3( 1.0, 0.0, 0.0 );
			tangent = normalize( cross( bd3D, tangent ) );
			vec3 bitangent = cross( bd3D, tangent );
			float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
			shadow = 0.0;
			for ( int i = 0; i < 5; i ++ ) {
				vec2 offset = vogelDiskSample( i, 5, phi );
				vec3 direction = bd3D + ( tangent * offset.x + bitangent * offset.y ) * texelSize;
				vec3 absDirection = abs( direction );
				float dp = depthA + depthB / max( max( absDirection.x, absDirection.y ), absDirection.z );
				shadow += texture( shadowMap, vec4( direction, dp ) );
			}
			shadow *= 0.2;
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#elif defined( SHADOWMAP_TYPE_BASIC )
	float getPointShadow( samplerCube shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float dp = ( shadowCameraFar * ( viewSpaceZ - shadowCameraNear ) ) / ( viewSpaceZ * ( shadowCameraFar - shadowCameraNear ) );
			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			float depth = textureCube( shadowMap, bd3D ).r;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				depth = 1.0 - depth;
			#endif
			shadow = step( dp, depth );
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#endif
	#endif
#endif`,lm=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,cm=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_SUN_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	#ifdef HAS_NORMAL
		vec3 shadowWorldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
	#else
		vec3 shadowWorldNormal = vec3( 0.0 );
	#endif
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_SUN_LIGHT_SHADOWS > 0
		vSunShadowWorldPosition = vec4( worldPosition.xyz, - mvPosition.z );
		vSunShadowWorldNormal = shadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,hm=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHT_SHADOWS; i ++ ) {
		sunLight = sunLightShadows[ i ];
		shadow *= receiveShadow ? getSunShadow( sunShadowMap[ i ], sunLight, UNROLLED_LOOP_INDEX ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowIntensity, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowIntensity, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0 && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowIntensity, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,um=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,dm=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,fm=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,pm=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,mm=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,gm=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,ym=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,vm=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 CineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,_m=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseContribution, material.specularColorBlended, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,xm=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		#else
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,bm=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,Mm=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	uniform mat3 diffuseRoughnessMapTransform;
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,Sm=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	vDiffuseRoughnessMapUv = ( diffuseRoughnessMapTransform * vec3( DIFFUSE_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,wm=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`,Tm=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,Em=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Am=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,Cm=`uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <envmap_common_pars_fragment>
void main() {
	#ifdef ENVMAP_TYPE_PMREM
		vec4 texColor = textureLod( envMap, backgroundRotation * vWorldDirection, roughnessToMip( backgroundBlurriness ) );
	#else
		vec4 texColor = textureCube( envMap, backgroundRotation * vWorldDirection );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Rm=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,Pm=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Im=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,Lm=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	#ifdef USE_REVERSED_DEPTH_BUFFER
		float fragCoordZ = vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ];
	#else
		float fragCoordZ = 0.5 * vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ] + 0.5;
	#endif
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#elif DEPTH_PACKING == 3202
		gl_FragColor = vec4( packDepthToRGB( fragCoordZ ), 1.0 );
	#elif DEPTH_PACKING == 3203
		gl_FragColor = vec4( packDepthToRG( fragCoordZ ), 0.0, 1.0 );
	#endif
}`,Nm=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,Dm=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = vec4( dist, 0.0, 0.0, 1.0 );
}`,Um=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,Fm=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Om=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,Bm=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,km=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,zm=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Vm=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,Gm=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Hm=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,Wm=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Xm=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,qm=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( normalize( normal ) * 0.5 + 0.5, diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,$m=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,Ym=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Zm=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,Jm=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DIFFUSE_ROUGHNESS
	uniform float diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		uniform sampler2D diffuseRoughnessMap;
	#endif
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_RETROREFLECTION
	uniform float retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
 
		outgoingLight = outgoingLight + sheenSpecularDirect + sheenSpecularIndirect;
 
 	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Km=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,jm=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Qm=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,eg=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,tg=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,ng=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,ig=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix[ 3 ];
	vec2 scale = vec2( length( modelMatrix[ 0 ].xyz ), length( modelMatrix[ 1 ].xyz ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,sg=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,He={alphahash_fragment:Ef,alphahash_pars_fragment:Af,alphamap_fragment:Cf,alphamap_pars_fragment:Rf,alphatest_fragment:Pf,alphatest_pars_fragment:If,aomap_fragment:Lf,aomap_pars_fragment:Nf,batching_pars_vertex:Df,batching_vertex:Uf,begin_vertex:Ff,beginnormal_vertex:Of,bsdfs:Bf,iridescence_fragment:kf,bumpmap_pars_fragment:zf,clipping_planes_fragment:Vf,clipping_planes_pars_fragment:Gf,clipping_planes_pars_vertex:Hf,clipping_planes_vertex:Wf,color_fragment:Xf,color_pars_fragment:qf,color_pars_vertex:$f,color_vertex:Yf,common:Zf,defaultnormal_vertex:Jf,displacementmap_pars_vertex:Kf,displacementmap_vertex:jf,emissivemap_fragment:Qf,emissivemap_pars_fragment:ep,colorspace_fragment:tp,colorspace_pars_fragment:np,envmap_fragment:ip,envmap_common_pars_fragment:sp,envmap_pars_fragment:rp,envmap_pars_vertex:op,envmap_physical_pars_fragment:yp,envmap_vertex:ap,fog_vertex:lp,fog_pars_vertex:cp,fog_fragment:hp,fog_pars_fragment:up,gradientmap_pars_fragment:dp,lightmap_pars_fragment:fp,lights_lambert_fragment:pp,lights_lambert_pars_fragment:mp,lights_pars_begin:gp,lights_toon_fragment:vp,lights_toon_pars_fragment:_p,lights_phong_fragment:xp,lights_phong_pars_fragment:bp,lights_physical_fragment:Mp,lights_physical_pars_fragment:Sp,lights_fragment_begin:wp,lights_fragment_maps:Tp,lights_fragment_end:Ep,lightprobes_pars_fragment:Ap,logdepthbuf_fragment:Cp,logdepthbuf_pars_fragment:Rp,logdepthbuf_pars_vertex:Pp,logdepthbuf_vertex:Ip,map_fragment:Lp,map_pars_fragment:Np,map_particle_fragment:Dp,map_particle_pars_fragment:Up,metalnessmap_fragment:Fp,metalnessmap_pars_fragment:Op,morphinstance_vertex:Bp,morphcolor_vertex:kp,morphnormal_vertex:zp,morphtarget_pars_vertex:Vp,morphtarget_vertex:Gp,normal_fragment_begin:Hp,normal_fragment_maps:Wp,normal_pars_fragment:Xp,normal_pars_vertex:qp,normal_vertex:$p,normalmap_pars_fragment:Yp,clearcoat_normal_fragment_begin:Zp,clearcoat_normal_fragment_maps:Jp,clearcoat_pars_fragment:Kp,iridescence_pars_fragment:jp,opaque_fragment:Qp,packing:em,premultiplied_alpha_fragment:tm,project_vertex:nm,dithering_fragment:im,dithering_pars_fragment:sm,roughnessmap_fragment:rm,roughnessmap_pars_fragment:om,shadowmap_pars_fragment:am,shadowmap_pars_vertex:lm,shadowmap_vertex:cm,shadowmask_pars_fragment:hm,skinbase_vertex:um,skinning_pars_vertex:dm,skinning_vertex:fm,skinnormal_vertex:pm,specularmap_fragment:mm,specularmap_pars_fragment:gm,tonemapping_fragment:ym,tonemapping_pars_fragment:vm,transmission_fragment:_m,transmission_pars_fragment:xm,uv_pars_fragment:bm,uv_pars_vertex:Mm,uv_vertex:Sm,worldpos_vertex:wm,background_vert:Tm,background_frag:Em,backgroundCube_vert:Am,backgroundCube_frag:Cm,cube_vert:Rm,cube_frag:Pm,depth_vert:Im,depth_frag:Lm,distance_vert:Nm,distance_frag:Dm,equirect_vert:Um,equirect_frag:Fm,linedashed_vert:Om,linedashed_frag:Bm,meshbasic_vert:km,meshbasic_frag:zm,meshlambert_vert:Vm,meshlambert_frag:Gm,meshmatcap_vert:Hm,meshmatcap_frag:Wm,meshnormal_vert:Xm,meshnormal_frag:qm,meshphong_vert:$m,meshphong_frag:Ym,meshphysical_vert:Zm,meshphysical_frag:Jm,meshtoon_vert:Km,meshtoon_frag:jm,points_vert:Qm,points_frag:eg,shadow_vert:tg,shadow_frag:ng,sprite_vert:ig,sprite_frag:sg},pe={common:{diffuse:{value:new Ge(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new Ne},alphaMap:{value:null},alphaMapTransform:{value:new Ne},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new Ne}},envmap:{envMap:{value:null},envMapRotation:{value:new Ne},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98},dfgLUT:{value:null}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new Ne}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new Ne}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new Ne},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new Ne},normalScale:{value:new ze(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new Ne},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new Ne}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new Ne}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new Ne}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new Ge(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},sunLights:{value:[],properties:{direction:{},color:{}}},sunLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},sunShadowMatrix:{value:[]},sunShadowCascade:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null},probesSH:{value:[]},probesMin:{value:[]},probesMax:{value:[]},probesResolution:{value:[]}},points:{diffuse:{value:new Ge(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new Ne},alphaTest:{value:0},uvTransform:{value:new Ne}},sprite:{diffuse:{value:new Ge(16777215)},opacity:{value:1},center:{value:new ze(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new Ne},alphaMap:{value:null},alphaMapTransform:{value:new Ne},alphaTest:{value:0}}},On={basic:{uniforms:Gt([pe.common,pe.specularmap,pe.envmap,pe.aomap,pe.lightmap,pe.fog]),vertexShader:He.meshbasic_vert,fragmentShader:He.meshbasic_frag},lambert:{uniforms:Gt([pe.common,pe.specularmap,pe.envmap,pe.aomap,pe.lightmap,pe.emissivemap,pe.bumpmap,pe.normalmap,pe.displacementmap,pe.fog,pe.lights,{emissive:{value:new Ge(0)},envMapIntensity:{value:1}}]),vertexShader:He.meshlambert_vert,fragmentShader:He.meshlambert_frag},phong:{uniforms:Gt([pe.common,pe.specularmap,pe.envmap,pe.aomap,pe.lightmap,pe.emissivemap,pe.bumpmap,pe.normalmap,pe.displacementmap,pe.fog,pe.lights,{emissive:{value:new Ge(0)},specular:{value:new Ge(1118481)},shininess:{value:30},envMapIntensity:{value:1}}]),vertexShader:He.meshphong_vert,fragmentShader:He.meshphong_frag},standard:{uniforms:Gt([pe.common,pe.envmap,pe.aomap,pe.lightmap,pe.emissivemap,pe.bumpmap,pe.normalmap,pe.displacementmap,pe.roughnessmap,pe.metalnessmap,pe.fog,pe.lights,{emissive:{value:new Ge(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:He.meshphysical_vert,fragmentShader:He.meshphysical_frag},toon:{uniforms:Gt([pe.common,pe.aomap,pe.lightmap,pe.emissivemap,pe.bumpmap,pe.normalmap,pe.displacementmap,pe.gradientmap,pe.fog,pe.lights,{emissive:{value:new Ge(0)}}]),vertexShader:He.meshtoon_vert,fragmentShader:He.meshtoon_frag},matcap:{uniforms:Gt([pe.common,pe.bumpmap,pe.normalmap,pe.displacementmap,pe.fog,{matcap:{value:null}}]),vertexShader:He.meshmatcap_vert,fragmentShader:He.meshmatcap_frag},points:{uniforms:Gt([pe.points,pe.fog]),vertexShader:He.points_vert,fragmentShader:He.points_frag},dashed:{uniforms:Gt([pe.common,pe.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:He.linedashed_vert,fragmentShader:He.linedashed_frag},depth:{uniforms:Gt([pe.common,pe.displacementmap]),vertexShader:He.depth_vert,fragmentShader:He.depth_frag},normal:{uniforms:Gt([pe.common,pe.bumpmap,pe.normalmap,pe.displacementmap,{opacity:{value:1}}]),vertexShader:He.meshnormal_vert,fragmentShader:He.meshnormal_frag},sprite:{uniforms:Gt([pe.sprite,pe.fog]),vertexShader:He.sprite_vert,fragmentShader:He.sprite_frag},background:{uniforms:{uvTransform:{value:new Ne},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:He.background_vert,fragmentShader:He.background_frag},backgroundCube:{uniforms:{envMap:{value:null},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new Ne}},vertexShader:He.backgroundCube_vert,fragmentShader:He.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:He.cube_vert,fragmentShader:He.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:He.equirect_vert,fragmentShader:He.equirect_frag},distance:{uniforms:Gt([pe.common,pe.displacementmap,{referencePosition:{value:new I},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:He.distance_vert,fragmentShader:He.distance_frag},shadow:{uniforms:Gt([pe.lights,pe.fog,{color:{value:new Ge(0)},opacity:{value:1}}]),vertexShader:He.shadow_vert,fragmentShader:He.shadow_frag}};On.physical={uniforms:Gt([On.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new Ne},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new Ne},clearcoatNormalScale:{value:new ze(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new Ne},diffuseRoughness:{value:0},diffuseRoughnessMap:{value:null},diffuseRoughnessMapTransform:{value:new Ne},dispersion:{value:0},retroreflectivity:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new Ne},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new Ne},sheen:{value:0},sheenColor:{value:new Ge(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new Ne},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new Ne},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new Ne},transmissionSamplerSize:{value:new ze},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new Ne},attenuationDistance:{value:0},attenuationColor:{value:new Ge(0)},specularColor:{value:new Ge(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new Ne},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new Ne},anisotropyVector:{value:new ze},anisotropyMap:{value:null},anisotropyMapTransform:{value:new Ne}}]),vertexShader:He.meshphysical_vert,fragmentShader:He.meshphysical_frag};var ca={r:0,b:0,g:0},rg=new Xe,Pu=new Ne;Pu.set(-1,0,0,0,1,0,0,0,1);function og(i,e,t,n,s,r){let o=new Ge(0),a=s===!0?0:1,l,c,h=null,d=0,u=null;function f(M){let C=M.isScene===!0?M.background:null;if(C&&C.isTexture){let E=M.backgroundBlurriness>0;C=e.get(C,E)}return C}function p(M){let C=!1,E=f(M);E===null?g(o,a):E&&E.isColor&&(g(E,1),C=!0);let R=i.xr.getEnvironmentBlendMode();R==="additive"?t.buffers.color.setClear(0,0,0,1,r):R==="alpha-blend"&&t.buffers.color.setClear(0,0,0,0,r),(i.autoClear||C)&&(t.buffers.depth.setTest(!0),t.buffers.depth.setMask(!0),t.buffers.color.setMask(!0),i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil))}function _(M,C){let E=f(C);E&&E.isCubeTexture?(c===void 0&&(c=new Qt(new os(1,1,1),new Pt({name:"BackgroundCubeMaterial",uniforms:Bi(On.backgroundCube.uniforms),vertexShader:On.backgroundCube.vertexShader,fragmentShader:On.backgroundCube.fragmentShader,side:Xt,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),c.geometry.deleteAttribute("normal"),c.geometry.deleteAttribute("uv"),c.onBeforeRender=function(R,A,y){this.matrixWorld.copyPosition(y.matrixWorld)},Object.defineProperty(c.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),n.update(c)),c.material.uniforms.envMap.value=E,c.material.uniforms.backgroundBlurriness.value=C.backgroundBlurriness,c.material.uniforms.backgroundIntensity.value=C.backgroundIntensity,c.material.uniforms.backgroundRotation.value.setFromMatrix4(rg.makeRotationFromEuler(C.backgroundRotation)).transpose(),E.isRenderTargetTexture===!1&&c.material.uniforms.backgroundRotation.value.premultiply(Pu),c.material.toneMapped=We.getTransfer(E.colorSpace)!==je,(h!==E||d!==E.version||u!==i.toneMapping)&&(c.material.needsUpdate=!0,h=E,d=E.version,u=i.toneMapping),c.layers.enableAll(),M.unshift(c,c.geometry,c.material,0,0,null)):E&&E.isTexture&&(l===void 0&&(l=new Qt(new Ni(2,2),new Pt({name:"BackgroundMaterial",uniforms:Bi(On.background.uniforms),vertexShader:On.background.vertexShader,fragmentShader:On.background.fragmentShader,side:gi,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),l.geometry.deleteAttribute("normal"),Object.defineProperty(l.material,"map",{get:function(){return this.uniforms.t2D.value}}),n.update(l)),l.material.uniforms.t2D.value=E,l.material.uniforms.backgroundIntensity.value=C.backgroundIntensity,l.material.toneMapped=We.getTransfer(E.colorSpace)!==je,E.matrixAutoUpdate===!0&&E.updateMatrix(),l.material.uniforms.uvTransform.value.copy(E.matrix),(h!==E||d!==E.version||u!==i.toneMapping)&&(l.material.needsUpdate=!0,h=E,d=E.version,u=i.toneMapping),l.layers.enableAll(),M.unshift(l,l.geometry,l.material,0,0,null))}function g(M,C){M.getRGB(ca,sc(i)),t.buffers.color.setClear(ca.r,ca.g,ca.b,C,r)}function m(){c!==void 0&&(c.geometry.dispose(),c.material.dispose(),c=void 0),l!==void 0&&(l.geometry.dispose(),l.material.dispose(),l=void 0)}return{getClearColor:function(){return o},setClearColor:function(M,C=1){o.set(M),a=C,g(o,a)},getClearAlpha:function(){return a},setClearAlpha:function(M){a=M,g(o,a)},render:p,addToRenderList:_,dispose:m}}function ag(i,e){let t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=u(null),r=s,o=!1;function a(U,V,X,w,G){let q=!1,O=d(U,w,X,V);r!==O&&(r=O,c(r.object)),q=f(U,w,X,G),q&&p(U,w,X,G),G!==null&&e.update(G,i.ELEMENT_ARRAY_BUFFER),(q||o)&&(o=!1,E(U,V,X,w),G!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(G).buffer))}function l(){return i.createVertexArray()}function c(U){return i.bindVertexArray(U)}function h(U){return i.deleteVertexArray(U)}function d(U,V,X,w){let G=w.wireframe===!0,q=n[V.id];q===void 0&&(q={},n[V.id]=q);let O=U.isInstancedMesh===!0?U.id:0,te=q[O];te===void 0&&(te={},q[O]=te);let W=te[X.id];W===void 0&&(W={},te[X.id]=W);let Q=W[G];return Q===void 0&&(Q=u(l()),W[G]=Q),Q}function u(U){let V=[],X=[],w=[];for(let G=0;G<t;G++)V[G]=0,X[G]=0,w[G]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:V,enabledAttributes:X,attributeDivisors:w,object:U,attributes:{},index:null}}function f(U,V,X,w){let G=r.attributes,q=V.attributes,O=0,te=X.getAttributes();for(let W in te)if(te[W].location>=0){let ee=G[W],we=q[W];if(we===void 0&&(W==="instanceMatrix"&&U.instanceMatrix&&(we=U.instanceMatrix),W==="instanceColor"&&U.instanceColor&&(we=U.instanceColor)),ee===void 0||ee.attribute!==we||we&&ee.data!==we.data)return!0;O++}return r.attributesNum!==O||r.index!==w}function p(U,V,X,w){let G={},q=V.attributes,O=0,te=X.getAttributes();for(let W in te)if(te[W].location>=0){let ee=q[W];ee===void 0&&(W==="instanceMatrix"&&U.instanceMatrix&&(ee=U.instanceMatrix),W==="instanceColor"&&U.instanceColor&&(ee=U.instanceColor));let we={};we.attribute=ee,ee&&ee.data&&(we.data=ee.data),G[W]=we,O++}r.attributes=G,r.attributesNum=O,r.index=w}function _(){let U=r.newAttributes;for(let V=0,X=U.length;V<X;V++)U[V]=0}function g(U){m(U,0)}function m(U,V){let X=r.newAttributes,w=r.enabledAttributes,G=r.attributeDivisors;X[U]=1,w[U]===0&&(i.enableVertexAttribArray(U),w[U]=1),G[U]!==V&&(i.vertexAttribDivisor(U,V),G[U]=V)}function M(){let U=r.newAttributes,V=r.enabledAttributes;for(let X=0,w=V.length;X<w;X++)V[X]!==U[X]&&(i.disableVertexAttribArray(X),V[X]=0)}function C(U,V,X,w,G,q,O){O===!0?i.vertexAttribIPointer(U,V,X,G,q):i.vertexAttribPointer(U,V,X,w,G,q)}function E(U,V,X,w){_();let G=w.attributes,q=X.getAttributes(),O=V.defaultAttributeValues;for(let te in q){let W=q[te];if(W.location>=0){let Q=G[te];if(Q===void 0&&(te==="instanceMatrix"&&U.instanceMatrix&&(Q=U.instanceMatrix),te==="instanceColor"&&U.instanceColor&&(Q=U.instanceColor)),Q!==void 0){let ee=Q.normalized,we=Q.itemSize,Fe=e.get(Q);if(Fe===void 0)continue;let J=Fe.buffer,me=Fe.type,be=Fe.bytesPerElement,Ce=me===i.INT||me===i.UNSIGNED_INT||Q.gpuType===Eo;if(Q.isInterleavedBufferAttribute){let ge=Q.data,Be=ge.isInterleavedBuffer===!0?ge.stride:ge.itemSize,gt=Q.offset;if(ge.isInstancedInterleavedBuffer||ge.isInstancedBufferAttribute){for(let Ie=0;Ie<W.locationSize;Ie++)m(W.location+Ie,ge.meshPerAttribute);U.isInstancedMesh!==!0&&w._maxInstanceCount===void 0&&(w._maxInstanceCount=ge.meshPerAttribute*ge.count)}else for(let Ie=0;Ie<W.locationSize;Ie++)g(W.location+Ie);i.bindBuffer(i.ARRAY_BUFFER,J);for(let Ie=0;Ie<W.locationSize;Ie++)C(W.location+Ie,we/W.locationSize,me,ee,Be*be,(gt+we/W.locationSize*Ie)*be,Ce)}else{if(Q.isInstancedBufferAttribute){for(let ge=0;ge<W.locationSize;ge++)m(W.location+ge,Q.meshPerAttribute);U.isInstancedMesh!==!0&&w._maxInstanceCount===void 0&&(w._maxInstanceCount=Q.meshPerAttribute*Q.count)}else for(let ge=0;ge<W.locationSize;ge++)g(W.location+ge);i.bindBuffer(i.ARRAY_BUFFER,J);for(let ge=0;ge<W.locationSize;ge++)C(W.location+ge,we/W.locationSize,me,ee,we*be,we/W.locationSize*ge*be,Ce)}}else if(O!==void 0){let ee=O[te];if(ee!==void 0)switch(ee.length){case 2:i.vertexAttrib2fv(W.location,ee);break;case 3:i.vertexAttrib3fv(W.location,ee);break;case 4:i.vertexAttrib4fv(W.location,ee);break;default:i.vertexAttrib1fv(W.location,ee)}}}}M()}function R(){F();for(let U in n){let V=n[U];for(let X in V){let w=V[X];for(let G in w){let q=w[G];for(let O in q)h(q[O].object),delete q[O];delete w[G]}}delete n[U]}}function A(U){if(n[U.id]===void 0)return;let V=n[U.id];for(let X in V){let w=V[X];for(let G in w){let q=w[G];for(let O in q)h(q[O].object),delete q[O];delete w[G]}}delete n[U.id]}function y(U){for(let V in n){let X=n[V];for(let w in X){let G=X[w];if(G[U.id]===void 0)continue;let q=G[U.id];for(let O in q)h(q[O].object),delete q[O];delete G[U.id]}}}function S(U){for(let V in n){let X=n[V],w=U.isInstancedMesh===!0?U.id:0,G=X[w];if(G!==void 0){for(let q in G){let O=G[q];for(let te in O)h(O[te].object),delete O[te];delete G[q]}delete X[w],Object.keys(X).length===0&&delete n[V]}}}function F(){N(),o=!0,r!==s&&(r=s,c(r.object))}function N(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:F,resetDefaultState:N,dispose:R,releaseStatesOfGeometry:A,releaseStatesOfObject:S,releaseStatesOfProgram:y,initAttributes:_,enableAttribute:g,disableUnusedAttributes:M}}function lg(i,e,t){let n;function s(l){n=l}function r(l,c){i.drawArrays(n,l,c),t.update(c,n,1)}function o(l,c,h){h!==0&&(i.drawArraysInstanced(n,l,c,h),t.update(c,n,h))}function a(l,c,h){if(h===0)return;e.get("WEBGL_multi_draw").multiDrawArraysWEBGL(n,l,0,c,0,h);let u=0;for(let f=0;f<h;f++)u+=c[f];t.update(u,n,1)}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a}function cg(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){let y=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(y.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(y){return!(y!==Vt&&n.convert(y)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(y){let S=y===wn&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(y!==Dt&&y!==en&&!S&&n.convert(y)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE))}function l(y){if(y==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";y="mediump"}return y==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp",h=l(c);h!==c&&(Pe("WebGLRenderer:",c,"not supported, using",h,"instead."),c=h);let d=t.reversedDepthBuffer===!0&&e.has("EXT_clip_control"),u=t.logarithmicDepthBuffer===!0&&d===!1;t.reversedDepthBuffer===!0&&d===!1&&Pe("WebGLRenderer: Unable to use reversed depth buffer due to missing EXT_clip_control extension. Fallback to default depth buffer."),t.logarithmicDepthBuffer===!0&&d===!0&&Pe("WebGLRenderer: Logarithmic depth buffer is ignored when reversed depth buffer is enabled.");let f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),p=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),g=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),m=i.getParameter(i.MAX_VERTEX_ATTRIBS),M=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),C=i.getParameter(i.MAX_VARYING_VECTORS),E=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),R=i.getParameter(i.MAX_SAMPLES),A=i.getParameter(i.SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:u,reversedDepthBuffer:d,maxTextures:f,maxVertexTextures:p,maxTextureSize:_,maxCubemapSize:g,maxAttributes:m,maxVertexUniforms:M,maxVaryings:C,maxFragmentUniforms:E,maxSamples:R,samples:A}}function hg(i){let e=this,t=null,n=0,s=!1,r=!1,o=new Yt,a=new Ne,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(d,u){let f=d.length!==0||u||n!==0||s;return s=u,n=d.length,f},this.beginShadows=function(){r=!0,h(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(d,u){t=h(d,u,0)},this.setState=function(d,u,f){let p=d.clippingPlanes,_=d.clipIntersection,g=d.clipShadows,m=i.get(d);if(!s||p===null||p.length===0||r&&!g)r?h(null):c();else{let M=r?0:n,C=M*4,E=m.clippingState||null;l.value=E,E=h(p,u,C,f);for(let R=0;R!==C;++R)E[R]=t[R];m.clippingState=E,this.numIntersection=_?this.numPlanes:0,this.numPlanes+=M}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function h(d,u,f,p){let _=d!==null?d.length:0,g=null;if(_!==0){if(g=l.value,p!==!0||g===null){let m=f+_*4,M=u.matrixWorldInverse;a.getNormalMatrix(M),(g===null||g.length<m)&&(g=new Float32Array(m));for(let C=0,E=f;C!==_;++C,E+=4)o.copy(d[C]).applyMatrix4(M,a),o.normal.toArray(g,E),g[E+3]=o.constant}l.value=g,l.needsUpdate=!0}return e.numPlanes=_,e.numIntersection=0,g}}var sr=class extends Rt{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;let n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new zs(s),this._setTextureOptions(t),this.texture.isRenderTargetTexture=!0}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;let n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new os(5,5,5),r=new Pt({name:"CubemapFromEquirect",uniforms:Bi(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Xt,blending:Di});r.uniforms.tEquirect.value=t;let o=new Qt(s,r),a=t.minFilter;return t.minFilter===Kn&&(t.minFilter=Wt),new as(1,10,this).update(e,o),t.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(e,t=!0,n=!0,s=!0){let r=e.getRenderTarget();for(let o=0;o<6;o++)e.setRenderTarget(this,o),e.clear(t,n,s);e.setRenderTarget(r)}},lu=256,ug=3,dg=20,Iu=256,Lu=16,fg=3,pg=new I,mg=new Ge,ua=class i{constructor(e){this._renderer=e,this._cubeSize=0,this._sourceTarget=null,this._cubeCamera=new as(1,10,null),this._boxMesh=new Qt(new os(5,5,5),null),this._cubemapMaterial=null,this._equirectMaterial=null,this._blurMaterial=null,this._ggxMaterial=null,this._integrationMaterial=null}fromScene(e,t=0,n=.1,s=100,r={}){let{size:o=256,position:a=pg}=r,l=this._renderer;this._setSize(o);let c=this._allocateTarget(),h=this._getSourceTarget(!0);t>0&&(h.texture.mipmapsAutoUpdate=!1);let d=l.autoClear,u=l.autoClearColor,f=l.autoClearDepth,p=l.autoClearStencil,_=e.background;l.autoClear=!0,l.autoClearColor=!0,l.autoClearDepth=!0,l.autoClearStencil=!0,_===null&&(e.background=l.getClearColor(mg));let g=new as(n,s,h);return g.position.copy(a),g.update(l,e),l.autoClear=d,l.autoClearColor=u,l.autoClearDepth=f,l.autoClearStencil=p,e.background=_,t>0&&(h.texture.mipmapsAutoUpdate=!0,this._blur(c,t)),this._applyPMREM(c),c}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=uu(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=hu(),this._compileMaterial(this._equirectMaterial))}dispose(){this._sourceTarget!==null&&this._sourceTarget.dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose(),this._blurMaterial!==null&&this._blurMaterial.dispose(),this._ggxMaterial!==null&&this._ggxMaterial.dispose(),this._integrationMaterial!==null&&this._integrationMaterial.dispose(),this._boxMesh.geometry.dispose()}static lodToRoughness(e,t){return t>0?1-Math.sqrt(1-e/t):0}_setSize(e){this._cubeSize=Math.max(lu,iu(e))}_fromTexture(e,t){e.mapping===Fi||e.mapping===hs?this._setSize(e.image.length===0?lu:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4);let n=t||this._allocateTarget();return this._textureToCubemap(e),this._applyPMREM(n),n}_allocateTarget(){let e=this._cubeSize,t=cu(e,!1,!1),n=Math.log2(e)-ug;for(let s=0;s<=n;s++)t.texture.mipmaps.push({width:e>>s,height:e>>s});return t.texture.name="PMREM",t.texture.isPMREMTexture=!0,t}_getSourceTarget(e=!1){let t=this._cubeSize,n=this._sourceTarget;return(n===null||n.width!==t||e&&n.depthBuffer===!1)&&(n!==null&&n.dispose(),this._sourceTarget=cu(t,!0,e)),this._sourceTarget}_compileMaterial(e){this._boxMesh.material=e,this._renderer.compile(this._boxMesh,this._cubeCamera.children[0])}_renderCube(e,t,n){let s=this._boxMesh,r=this._cubeCamera;s.material=n,r.renderTarget=e,r.activeMipmapLevel=t;let o=e.width>>t;e.viewport.set(0,0,o,o),r.update(this._renderer,s),e.viewport.set(0,0,e.width,e.height)}_textureToCubemap(e){let t;e.mapping===Fi||e.mapping===hs?(this._cubemapMaterial===null&&(this._cubemapMaterial=uu()),t=this._cubemapMaterial,t.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):(this._equirectMaterial===null&&(this._equirectMaterial=hu()),t=this._equirectMaterial),t.uniforms.envMap.value=e,this._renderCube(this._getSourceTarget(),0,t)}_applyPMREM(e){this._ggxMaterial===null&&(this._ggxMaterial=gg(),this._integrationMaterial=yg());let t=this._cubeSize,n=e.texture.mipmaps.length-1,s=this._ggxMaterial.uniforms;s.envMap.value=this._sourceTarget.texture;let r=this._integrationMaterial.uniforms;r.envMap.value=this._sourceTarget.texture,r.sourceLod.value=Math.log2(t/Lu);for(let o=0;o<=n;o++){let a=i.lodToRoughness(o,n);if(o>n-fg)r.roughness.value=a,this._renderCube(e,o,this._integrationMaterial);else{let l=a>0?Math.log2(t)+.5*Math.log2(6/(Iu*Math.pow(a,4)))+.5:0;s.roughness.value=a,s.lodBias.value=l,this._renderCube(e,o,this._ggxMaterial)}}}_blur(e,t){this._blurMaterial===null&&(this._blurMaterial=vg());let n=this._blurMaterial,s=n.uniforms,r=this._sourceTarget;s.sigma.value=Math.min(t,Math.PI)/Math.SQRT2,s.envMap.value=r.texture,this._renderCube(e,0,n),s.envMap.value=e.texture,this._renderCube(r,0,n)}};function cu(i,e,t){return new sr(i,{minFilter:Kn,generateMipmaps:e,type:wn,colorSpace:Ri,depthBuffer:t})}function rr(i,e,t){return new Pt({name:i,uniforms:e,vertexShader:He.cube_vert,fragmentShader:t,side:Xt,blending:Di,depthTest:!1,depthWrite:!1})}function gg(){return rr("PMREMGGXConvolution",{envMap:{value:null},roughness:{value:0},lodBias:{value:0}},`

		#define GGX_SAMPLES ${Iu}u

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float lodBias;

		#include <common>

		// Van der Corput radical inverse
		float radicalInverse_VdC( uint bits ) {

			bits = ( bits << 16u ) | ( bits >> 16u );
			bits = ( ( bits & 0x55555555u ) << 1u ) | ( ( bits & 0xAAAAAAAAu ) >> 1u );
			bits = ( ( bits & 0x33333333u ) << 2u ) | ( ( bits & 0xCCCCCCCCu ) >> 2u );
			bits = ( ( bits & 0x0F0F0F0Fu ) << 4u ) | ( ( bits & 0xF0F0F0F0u ) >> 4u );
			bits = ( ( bits & 0x00FF00FFu ) << 8u ) | ( ( bits & 0xFF00FF00u ) >> 8u );
			return float( bits ) * 2.3283064365386963e-10; // / 0x100000000

		}

		// Hammersley sequence
		vec2 hammersley( uint i, uint N ) {

			return vec2( float( i ) / float( N ), radicalInverse_VdC( i ) );

		}

		void main() {

			vec3 N = normalize( vWorldDirection );

			// For very low roughness, just sample the environment directly
			if ( roughness < 0.001 ) {

				gl_FragColor = vec4( textureLod( envMap, N, 0.0 ).rgb, 1.0 );
				return;

			}

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			// Tangent space basis for VNDF sampling
			vec3 up = abs( N.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, N ) );
			vec3 bitangent = cross( N, tangent );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			for ( uint i = 0u; i < GGX_SAMPLES; i ++ ) {

				vec2 Xi = hammersley( i, GGX_SAMPLES );

				// With V = N, sample the reflected direction directly.
				float invQ = 1.0 / ( 1.0 - Xi.x + alpha2 * Xi.x );
				float NdotL = ( 1.0 - Xi.x - alpha2 * Xi.x ) * invQ;

				if ( NdotL > 0.0 ) {

					float phi = 2.0 * PI * Xi.y;
					float sinTheta = 2.0 * alpha * sqrt( Xi.x * ( 1.0 - Xi.x ) ) * invQ;
					vec3 L = N * NdotL + ( tangent * cos( phi ) + bitangent * sin( phi ) ) * sinTheta;

					// Match the source mip to the sample's solid angle. The terms
					// independent of the sample are precomputed in lodBias.
					float d = alpha2 * invQ;
					float lod = max( log2( d ) + lodBias, 0.0 );

					// Weight by NdotL for the split-sum approximation
					prefilteredColor += textureLod( envMap, L, lod ).rgb * NdotL;
					totalWeight += NdotL;

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function yg(){return rr("PMREMGGXIntegration",{envMap:{value:null},roughness:{value:0},sourceLod:{value:0},sourceSize:{value:Lu}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float sourceLod;
		uniform int sourceSize;

		void main() {

			vec3 N = normalize( vWorldDirection );

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			float texelSize = 2.0 / float( sourceSize );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			// Pair opposite texels: only the one in N's hemisphere contributes.
			for ( int face = 0; face < 3; face ++ ) {

				for ( int y = 0; y < sourceSize; y ++ ) {

					for ( int x = 0; x < sourceSize; x ++ ) {

						vec2 uv = ( vec2( x, y ) + 0.5 ) * texelSize - 1.0;
						vec3 texelDirection = face == 0 ? vec3( 1.0, uv ) : ( face == 1 ? vec3( uv.x, 1.0, uv.y ) : vec3( uv, 1.0 ) );

						float invDistance = inversesqrt( 1.0 + dot( uv, uv ) );
						float NdotL = dot( N, texelDirection );
						texelDirection *= NdotL < 0.0 ? - 1.0 : 1.0;
						NdotL = abs( NdotL ) * invDistance;

						// With V = N, NdotH squared is ( 1 + NdotL ) / 2. Common factors
						// in the GGX distribution and texel solid angle cancel when normalized.
						float d = 1.0 + alpha2 + ( alpha2 - 1.0 ) * NdotL;
						float weight = NdotL * invDistance * invDistance * invDistance / ( d * d );

						prefilteredColor += textureLod( envMap, texelDirection, sourceLod ).rgb * weight;
						totalWeight += weight;

					}

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function vg(){return rr("PMREMSphericalGaussianBlur",{envMap:{value:null},sigma:{value:0}},`

		#define SAMPLES ${dg}
		#define GOLDEN_ANGLE 2.39996322973

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float sigma;

		#include <common>

		void main() {

			vec3 outputDirection = normalize( vWorldDirection );

			vec3 up = abs( outputDirection.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, outputDirection ) );
			vec3 bitangent = cross( outputDirection, tangent );

			// Truncate the kernel at three standard deviations or at the antipode.
			float thetaMax = min( 3.0 * sigma, PI );
			float truncation = 1.0 - exp( - 0.5 * thetaMax * thetaMax / ( sigma * sigma ) );

			vec3 accumColor = vec3( 0.0 );
			float accumWeight = 0.0;

			for ( int i = 0; i < SAMPLES; i ++ ) {

				// Stratified inverse-CDF sampling of the Gaussian, placed on a golden-angle spiral.
				float stratum = ( float( i ) + 0.5 ) / float( SAMPLES );
				float theta = sigma * sqrt( - 2.0 * log( 1.0 - stratum * truncation ) );
				float phi = float( i ) * GOLDEN_ANGLE;

				vec3 offset = cos( phi ) * tangent + sin( phi ) * bitangent;
				vec3 sampleDirection = cos( theta ) * outputDirection + sin( theta ) * offset;

				// Correct the planar sample density to solid angle.
				float weight = sin( theta ) / theta;

				accumColor += weight * textureLod( envMap, sampleDirection, 0.0 ).rgb;
				accumWeight += weight;

			}

			gl_FragColor = vec4( accumColor / accumWeight, 1.0 );

		}
	`)}function hu(){return rr("PMREMEquirectangularToCubemap",{envMap:{value:null}},`

		varying vec3 vWorldDirection;

		uniform sampler2D envMap;

		#include <common>

		void main() {

			// Average four subpixel samples to preserve small, bright features.
			vec3 direction = normalize( vWorldDirection );
			vec3 dx = dFdx( direction ) * 0.25;
			vec3 dy = dFdy( direction ) * 0.25;

			vec3 color = textureLod( envMap, equirectUv( normalize( direction - dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction - dx + dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx + dy ) ), 0.0 ).rgb;
			gl_FragColor = vec4( color * 0.25, 1.0 );

		}
	`)}function uu(){return rr("PMREMCubemapToCubemap",{envMap:{value:null},flipEnvMap:{value:-1}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float flipEnvMap;

		void main() {

			gl_FragColor = vec4( textureCube( envMap, vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) ).rgb, 1.0 );

		}
	`)}function _g(i){let e=new WeakMap,t=new WeakMap,n=null;function s(u,f=!1){return u==null?null:f?o(u):r(u)}function r(u){if(u&&u.isTexture){let f=u.mapping;if(f===So||f===wo)if(e.has(u)){let p=e.get(u).texture;return a(p,u.mapping)}else{let p=u.image;if(p&&p.height>0){let _=new sr(p.height);return _.fromEquirectangularTexture(i,u),e.set(u,_),u.addEventListener("dispose",c),a(_.texture,u.mapping)}else return null}}return u}function o(u){if(u&&u.isTexture&&u.isPMREMTexture!==!0){let f=u.mapping,p=f===So||f===wo,_=f===Fi||f===hs;if(p||_){let g=t.get(u),m=g!==void 0?g.texture.pmremVersion:0;if(u.isRenderTargetTexture&&u.pmremVersion!==m)return n===null&&(n=new ua(i)),g=p?n.fromEquirectangular(u,g):n.fromCubemap(u,g),g.texture.pmremVersion=u.pmremVersion,t.set(u,g),g.texture;if(g!==void 0)return g.texture;{let M=u.image;return p&&M&&M.height>0||_&&M&&l(M)?(n===null&&(n=new ua(i)),g=p?n.fromEquirectangular(u):n.fromCubemap(u),g.texture.pmremVersion=u.pmremVersion,t.set(u,g),u.addEventListener("dispose",h),g.texture):null}}}return u}function a(u,f){return f===So?u.mapping=Fi:f===wo&&(u.mapping=hs),u}function l(u){let f=0,p=6;for(let _=0;_<p;_++)u[_]!==void 0&&f++;return f===p}function c(u){let f=u.target;f.removeEventListener("dispose",c);let p=e.get(f);p!==void 0&&(e.delete(f),p.dispose())}function h(u){let f=u.target;f.removeEventListener("dispose",h);let p=t.get(f);p!==void 0&&(t.delete(f),p.dispose())}function d(){e=new WeakMap,t=new WeakMap,n!==null&&(n.dispose(),n=null)}return{get:s,dispose:d}}function xg(i){let e={};function t(n){if(e[n]!==void 0)return e[n];let s=i.getExtension(n);return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){let s=t(n);return s===null&&Rs("WebGLRenderer: "+n+" extension not supported."),s}}}function bg(i,e,t,n){let s={},r=new WeakMap,o=new FinalizationRegistry(p=>delete s[p]);function a(p){l(p.target)}function l(p){p.index!==null&&e.remove(p.index);for(let g in p.attributes)e.remove(p.attributes[g]);p.removeEventListener("dispose",a),delete s[p.id],o.unregister(p);let _=r.get(p);_&&(e.remove(_),r.delete(p)),n.releaseStatesOfGeometry(p),p.isInstancedBufferGeometry===!0&&delete p._maxInstanceCount,t.memory.geometries--}function c(p,_){return s[_.id]!==void 0||(_.addEventListener("dispose",a),s[_.id]=new WeakRef(_),o.register(_,_.id,_),t.memory.geometries++),_}function h(p){let _=p.attributes;for(let g in _)e.update(_[g],i.ARRAY_BUFFER)}function d(p){let _=p.index,g=p.attributes.position,m=0;if(g===void 0)return;let M=_!==null?_.array.length:g.array.length/3-1,C=g.count>=65535?Fs:Us,E=new C(Math.ceil(M/3)*6,1),R=E.array;if(_!==null){let y=_.array;m=_.version;for(let S=0,F=0;S<M;S+=3){let N=y[S+0],U=y[S+1],V=y[S+2];R[F++]=N,R[F++]=U,R[F++]=U,R[F++]=V,R[F++]=V,R[F++]=N}}else{m=g.version;for(let y=0,S=0;y<M;y+=3){let F=y+0,N=y+1,U=y+2;R[S++]=F,R[S++]=N,R[S++]=N,R[S++]=U,R[S++]=U,R[S++]=F}}E.version=m;let A=r.get(p);A&&e.remove(A),r.set(p,E)}function u(p){let _=r.get(p);if(_){let g=p.index;g!==null&&_.version<g.version&&d(p)}else d(p);return r.get(p)}function f(){for(let p in s){let _=s[p].deref();_!==void 0&&l(_)}}return{get:c,update:h,getWireframeAttribute:u,dispose:f}}function Mg(i,e,t){let n;function s(d){n=d}let r,o;function a(d){r=d.type,o=d.bytesPerElement}function l(d,u){i.drawElements(n,u,r,d*o),t.update(u,n,1)}function c(d,u,f){f!==0&&(i.drawElementsInstanced(n,u,r,d*o,f),t.update(u,n,f))}function h(d,u,f){if(f===0)return;e.get("WEBGL_multi_draw").multiDrawElementsWEBGL(n,u,0,r,d,0,f);let _=0;for(let g=0;g<f;g++)_+=u[g];t.update(_,n,1)}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=h}function Sg(i){let e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(t.calls++,o){case i.TRIANGLES:t.triangles+=a*(r/3);break;case i.LINES:t.lines+=a*(r/2);break;case i.LINE_STRIP:t.lines+=a*(r-1);break;case i.LINE_LOOP:t.lines+=a*r;break;case i.POINTS:t.points+=a*r;break;default:Le("WebGLInfo: Unknown draw mode:",o);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function wg(i,e,t){let n=new WeakMap,s=new it;function r(o,a,l){let c=o.morphTargetInfluences,h=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,d=h!==void 0?h.length:0,u=n.get(a);if(u===void 0||u.count!==d){let F=function(){y.dispose(),n.delete(a),a.removeEventListener("dispose",F)};u!==void 0&&u.texture.dispose();let f=a.morphAttributes.position!==void 0,p=a.morphAttributes.normal!==void 0,_=a.morphAttributes.color!==void 0,g=a.morphAttributes.position||[],m=a.morphAttributes.normal||[],M=a.morphAttributes.color||[],C=0;f===!0&&(C=1),p===!0&&(C=2),_===!0&&(C=3);let E=a.attributes.position.count*C,R=1;E>e.maxTextureSize&&(R=Math.ceil(E/e.maxTextureSize),E=e.maxTextureSize);let A=new Float32Array(E*R*4*d),y=new Ds(A,E,R,d);y.type=en,y.needsUpdate=!0;let S=C*4;for(let N=0;N<d;N++){let U=g[N],V=m[N],X=M[N],w=E*R*4*N;for(let G=0;G<U.count;G++){let q=G*S;f===!0&&(s.fromBufferAttribute(U,G),A[w+q+0]=s.x,A[w+q+1]=s.y,A[w+q+2]=s.z,A[w+q+3]=0),p===!0&&(s.fromBufferAttribute(V,G),A[w+q+4]=s.x,A[w+q+5]=s.y,A[w+q+6]=s.z,A[w+q+7]=0),_===!0&&(s.fromBufferAttribute(X,G),A[w+q+8]=s.x,A[w+q+9]=s.y,A[w+q+10]=s.z,A[w+q+11]=X.itemSize===4?s.w:1)}}u={count:d,texture:y,size:new ze(E,R)},n.set(a,u),a.addEventListener("dispose",F)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,t);else{let f=0;for(let _=0;_<c.length;_++)f+=c[_];let p=a.morphTargetsRelative?1:1-f;l.getUniforms().setValue(i,"morphTargetBaseInfluence",p),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",u.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",u.size)}return{update:r}}function Tg(i,e,t,n,s){let r=new WeakMap;function o(c){let h=s.render.frame,d=c.geometry,u=e.get(c,d);if(r.get(u)!==h&&(e.update(u),r.set(u,h)),c.isInstancedMesh&&(c.hasEventListener("dispose",l)===!1&&c.addEventListener("dispose",l),r.get(c)!==h&&(t.update(c.instanceMatrix,i.ARRAY_BUFFER),c.instanceColor!==null&&t.update(c.instanceColor,i.ARRAY_BUFFER),r.set(c,h))),c.isSkinnedMesh){let f=c.skeleton;r.get(f)!==h&&(f.update(),r.set(f,h))}return u}function a(){r=new WeakMap}function l(c){let h=c.target;h.removeEventListener("dispose",l),n.releaseStatesOfObject(h),t.remove(h.instanceMatrix),h.instanceColor!==null&&t.remove(h.instanceColor)}return{update:o,dispose:a}}var Eg={[Bl]:"LINEAR_TONE_MAPPING",[kl]:"REINHARD_TONE_MAPPING",[zl]:"CINEON_TONE_MAPPING",[Vl]:"ACES_FILMIC_TONE_MAPPING",[Hl]:"AGX_TONE_MAPPING",[Wl]:"NEUTRAL_TONE_MAPPING",[Gl]:"CUSTOM_TONE_MAPPING"};function Ag(i,e,t,n,s,r){let o=new Rt(e,t,{type:i,depthBuffer:s,stencilBuffer:r,samples:n?4:0,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,resolveDepthBuffer:!1,resolveStencilBuffer:!1}),a=null,l=null,c=null,h=new zt;h.setAttribute("position",new Zt([-1,3,0,-1,-1,0,3,-1,0],3)),h.setAttribute("uv",new Zt([0,2,0,0,2,0],2));let d=new lo({uniforms:{tDiffuse:{value:null}},vertexShader:`
			precision highp float;

			uniform mat4 modelViewMatrix;
			uniform mat4 projectionMatrix;

			attribute vec3 position;
			attribute vec2 uv;

			varying vec2 vUv;

			void main() {
				vUv = uv;
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
			}`,fragmentShader:`
			precision highp float;

			uniform sampler2D tDiffuse;

			varying vec2 vUv;

			#include <tonemapping_pars_fragment>
			#include <colorspace_pars_fragment>

			void main() {
				gl_FragColor = texture2D( tDiffuse, vUv );

				#ifdef LINEAR_TONE_MAPPING
					gl_FragColor.rgb = LinearToneMapping( gl_FragColor.rgb );
				#elif defined( REINHARD_TONE_MAPPING )
					gl_FragColor.rgb = ReinhardToneMapping( gl_FragColor.rgb );
				#elif defined( CINEON_TONE_MAPPING )
					gl_FragColor.rgb = CineonToneMapping( gl_FragColor.rgb );
				#elif defined( ACES_FILMIC_TONE_MAPPING )
					gl_FragColor.rgb = ACESFilmicToneMapping( gl_FragColor.rgb );
				#elif defined( AGX_TONE_MAPPING )
					gl_FragColor.rgb = AgXToneMapping( gl_FragColor.rgb );
				#elif defined( NEUTRAL_TONE_MAPPING )
					gl_FragColor.rgb = NeutralToneMapping( gl_FragColor.rgb );
				#elif defined( CUSTOM_TONE_MAPPING )
					gl_FragColor.rgb = CustomToneMapping( gl_FragColor.rgb );
				#endif

				#ifdef SRGB_TRANSFER
					gl_FragColor = sRGBTransferOETF( gl_FragColor );
				#endif
			}`,depthTest:!1,depthWrite:!1}),u=new Qt(h,d),f=new Jn(-1,1,1,-1,0,1),p=null,_=null,g=!1,m,M=null,C=[],E=!1;this.setSize=function(R,A){o.setSize(R,A),a!==null&&a.setSize(R,A),l!==null&&l.setSize(R,A);for(let y=0;y<C.length;y++){let S=C[y];S.setSize&&S.setSize(R,A)}},this.setEffects=function(R){C=R,E=C.length>0&&C[0].isRenderPass===!0;let A=o.width,y=o.height;C.length>0&&a===null&&(a=new Rt(A,y,{type:wn,depthBuffer:!1,stencilBuffer:!1}),l=new Rt(A,y,{type:wn,depthBuffer:!1,stencilBuffer:!1}));let S=s===!0&&C.some(F=>F.needsDepthTexture===!0);S!==(o.depthTexture!==null)&&(S===!0&&c===null&&(c=new Sn(A,y),r===!0&&(c.format=jn,c.type=Oi)),o.dispose(),o.depthTexture=S?c:null,o.resolveDepthBuffer=S,o.storeMultisampledDepthBuffer=S);for(let F=0;F<C.length;F++){let N=C[F];N.setSize&&N.setSize(A,y),S&&N.needsDepthTexture===!0&&N.setDepthTexture&&N.setDepthTexture(c)}},this.begin=function(R,A){if(g||R.toneMapping===Un&&C.length===0)return!1;if(M=A,A!==null){let y=A.width,S=A.height;(o.width!==y||o.height!==S)&&this.setSize(y,S)}return E===!1&&R.setRenderTarget(o),m=R.toneMapping,R.toneMapping=Un,!0},this.hasRenderPass=function(){return E},this.end=function(R,A){R.toneMapping=m,g=!0;let y=o,S=a;for(let F=0;F<C.length;F++){let N=C[F];N.enabled!==!1&&(N.render(R,S,y,A),N.needsSwap!==!1&&(y=S,S=S===a?l:a))}if(p!==R.outputColorSpace||_!==R.toneMapping){p=R.outputColorSpace,_=R.toneMapping,d.defines={},We.getTransfer(p)===je&&(d.defines.SRGB_TRANSFER="");let F=Eg[_];F&&(d.defines[F]=""),d.needsUpdate=!0}d.uniforms.tDiffuse.value=y.texture,R.setRenderTarget(M),R.render(u,f),M=null,g=!1},this.isCompositing=function(){return g},this.dispose=function(){o.dispose(),a!==null&&a.dispose(),l!==null&&l.dispose(),h.dispose(),d.dispose()}}var Nu=new Jt,Du=new Sn(1,1),Uu=new Vs(1),Fu=new Ds,Ou=new eo,Bu=new zs,du=[],fu=[],pu=new Float32Array(16),mu=new Float32Array(9),gu=new Float32Array(4);function fs(i,e,t){let n=i[0];if(n<=0||n>0)return i;let s=e*t,r=du[s];if(r===void 0&&(r=new Float32Array(s),du[s]=r),e!==0){n.toArray(r,0);for(let o=1,a=0;o!==e;++o)a+=t,i[o].toArray(r,a)}return r}function St(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function wt(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function fa(i,e){let t=fu[e];t===void 0&&(t=new Int32Array(e),fu[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function Cg(i,e){let t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function Rg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(St(t,e))return;i.uniform2fv(this.addr,e),wt(t,e)}}function Pg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(St(t,e))return;i.uniform3fv(this.addr,e),wt(t,e)}}function Ig(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(St(t,e))return;i.uniform4fv(this.addr,e),wt(t,e)}}function Lg(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(St(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),wt(t,e)}else{if(St(t,n))return;gu.set(n),i.uniformMatrix2fv(this.addr,!1,gu),wt(t,n)}}function Ng(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(St(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),wt(t,e)}else{if(St(t,n))return;mu.set(n),i.uniformMatrix3fv(this.addr,!1,mu),wt(t,n)}}function Dg(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(St(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),wt(t,e)}else{if(St(t,n))return;pu.set(n),i.uniformMatrix4fv(this.addr,!1,pu),wt(t,n)}}function Ug(i,e){let t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function Fg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(St(t,e))return;i.uniform2iv(this.addr,e),wt(t,e)}}function Og(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(St(t,e))return;i.uniform3iv(this.addr,e),wt(t,e)}}function Bg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(St(t,e))return;i.uniform4iv(this.addr,e),wt(t,e)}}function kg(i,e){let t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function zg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(St(t,e))return;i.uniform2uiv(this.addr,e),wt(t,e)}}function Vg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(St(t,e))return;i.uniform3uiv(this.addr,e),wt(t,e)}}function Gg(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(St(t,e))return;i.uniform4uiv(this.addr,e),wt(t,e)}}function pa(i){return i.version===0&&(i.compareFunction=tc,i.needsUpdate=!0),i}function Hg(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_2D_SHADOW?r=pa(Du):r=Nu,t.setTexture2D(e||r,s)}function Wg(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||Ou,s)}function Xg(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_CUBE_SHADOW?r=pa(Uu):r=Bu,t.setTextureCube(e||r,s)}function qg(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||Fu,s)}function $g(i){switch(i){case 5126:return Cg;case 35664:return Rg;case 35665:return Pg;case 35666:return Ig;case 35674:return Lg;case 35675:return Ng;case 35676:return Dg;case 5124:case 35670:return Ug;case 35667:case 35671:return Fg;case 35668:case 35672:return Og;case 35669:case 35673:return Bg;case 5125:return kg;case 36294:return zg;case 36295:return Vg;case 36296:return Gg;case 35678:case 36198:case 36298:case 36306:case 35682:return Hg;case 35679:case 36299:case 36307:return Wg;case 35680:case 36300:case 36308:case 36293:return Xg;case 36289:case 36303:case 36311:case 36292:return qg}}function Yg(i,e){i.uniform1fv(this.addr,e)}function Zg(i,e){let t=fs(e,this.size,2);i.uniform2fv(this.addr,t)}function Jg(i,e){let t=fs(e,this.size,3);i.uniform3fv(this.addr,t)}function Kg(i,e){let t=fs(e,this.size,4);i.uniform4fv(this.addr,t)}function jg(i,e){let t=fs(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function Qg(i,e){let t=fs(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function e0(i,e){let t=fs(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function t0(i,e){i.uniform1iv(this.addr,e)}function n0(i,e){i.uniform2iv(this.addr,e)}function i0(i,e){i.uniform3iv(this.addr,e)}function s0(i,e){i.uniform4iv(this.addr,e)}function r0(i,e){i.uniform1uiv(this.addr,e)}function o0(i,e){i.uniform2uiv(this.addr,e)}function a0(i,e){i.uniform3uiv(this.addr,e)}function l0(i,e){i.uniform4uiv(this.addr,e)}function c0(i,e,t){let n=this.cache,s=e.length,r=fa(t,s);St(n,r)||(i.uniform1iv(this.addr,r),wt(n,r));let o;this.type===i.SAMPLER_2D_SHADOW?o=pa(Du):o=Nu;for(let a=0;a!==s;++a)t.setTexture2D(e[a]||o,r[a])}function h0(i,e,t){let n=this.cache,s=e.length,r=fa(t,s);St(n,r)||(i.uniform1iv(this.addr,r),wt(n,r));for(let o=0;o!==s;++o)t.setTexture3D(e[o]||Ou,r[o])}function u0(i,e,t){let n=this.cache,s=e.length,r=fa(t,s);St(n,r)||(i.uniform1iv(this.addr,r),wt(n,r));let o;this.type===i.SAMPLER_CUBE_SHADOW?o=pa(Uu):o=Bu;for(let a=0;a!==s;++a)t.setTextureCube(e[a]||o,r[a])}function d0(i,e,t){let n=this.cache,s=e.length,r=fa(t,s);St(n,r)||(i.uniform1iv(this.addr,r),wt(n,r));for(let o=0;o!==s;++o)t.setTexture2DArray(e[o]||Fu,r[o])}function f0(i){switch(i){case 5126:return Yg;case 35664:return Zg;case 35665:return Jg;case 35666:return Kg;case 35674:return jg;case 35675:return Qg;case 35676:return e0;case 5124:case 35670:return t0;case 35667:case 35671:return n0;case 35668:case 35672:return i0;case 35669:case 35673:return s0;case 5125:return r0;case 36294:return o0;case 36295:return a0;case 36296:return l0;case 35678:case 36198:case 36298:case 36306:case 35682:return c0;case 35679:case 36299:case 36307:return h0;case 35680:case 36300:case 36308:case 36293:return u0;case 36289:case 36303:case 36311:case 36292:return d0}}var hc=class{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=$g(t.type)}},uc=class{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=f0(t.type)}},dc=class{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){let s=this.seq;for(let r=0,o=s.length;r!==o;++r){let a=s[r];a.setValue(e,t[a.id],n)}}},lc=/(\w+)(\])?(\[|\.)?/g;function yu(i,e){i.seq.push(e),i.map[e.id]=e}function p0(i,e,t){let n=i.name,s=n.length;for(lc.lastIndex=0;;){let r=lc.exec(n),o=lc.lastIndex,a=r[1],l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){yu(t,c===void 0?new hc(a,i,e):new uc(a,i,e));break}else{let d=t.map[a];d===void 0&&(d=new dc(a),yu(t,d)),t=d}}}var ds=class{constructor(e,t){this.seq=[],this.map={};let n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let o=0;o<n;++o){let a=e.getActiveUniform(t,o),l=e.getUniformLocation(t,a.name);p0(a,l,this)}let s=[],r=[];for(let o of this.seq)o.type===e.SAMPLER_2D_SHADOW||o.type===e.SAMPLER_CUBE_SHADOW||o.type===e.SAMPLER_2D_ARRAY_SHADOW?s.push(o):r.push(o);s.length>0&&(this.seq=s.concat(r))}setValue(e,t,n,s){let r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){let s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,o=t.length;r!==o;++r){let a=t[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(e,l.value,s)}}static seqWithValue(e,t){let n=[];for(let s=0,r=e.length;s!==r;++s){let o=e[s];o.id in t&&n.push(o)}return n}};function vu(i,e,t){let n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}var m0=37297,g0=0;function y0(i,e){let t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let o=s;o<r;o++){let a=o+1;n.push(`${a===e?">":" "} ${a}: ${t[o]}`)}return n.join(`
`)}var _u=new Ne;function v0(i){We._getMatrix(_u,We.workingColorSpace,i);let e=`mat3( ${_u.elements.map(t=>t.toFixed(4))} )`;switch(We.getTransfer(i)){case Is:return[e,"LinearTransferOETF"];case je:return[e,"sRGBTransferOETF"];default:return Pe("WebGLProgram: Unsupported color space: ",i),[e,"LinearTransferOETF"]}}function xu(i,e,t){let n=i.getShaderParameter(e,i.COMPILE_STATUS),r=(i.getShaderInfoLog(e)||"").trim();if(n&&r==="")return"";let o=/ERROR: 0:(\d+)/.exec(r);if(o){let a=parseInt(o[1]);return t.toUpperCase()+`

`+r+`

`+y0(i.getShaderSource(e),a)}else return r}function _0(i,e){let t=v0(e);return[`vec4 ${i}( vec4 value ) {`,`	return ${t[1]}( vec4( ${t[0]} * value.rgb, value.a ) );`,"}"].join(`
`)}var x0={[Bl]:"Linear",[kl]:"Reinhard",[zl]:"Cineon",[Vl]:"ACESFilmic",[Hl]:"AgX",[Wl]:"Neutral",[Gl]:"Custom"};function b0(i,e){let t=x0[e];return t===void 0?(Pe("WebGLProgram: Unsupported toneMapping:",e),"vec3 "+i+"( vec3 color ) { return LinearToneMapping( color ); }"):"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}var ha=new I;function M0(){We.getLuminanceCoefficients(ha);let i=ha.x.toFixed(4),e=ha.y.toFixed(4),t=ha.z.toFixed(4);return["float luminance( const in vec3 rgb ) {",`	const vec3 weights = vec3( ${i}, ${e}, ${t} );`,"	return dot( weights, rgb );","}"].join(`
`)}function S0(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(ir).join(`
`)}function w0(i){let e=[];for(let t in i){let n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function T0(i,e){let t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){let r=i.getActiveAttrib(e,s),o=r.name,a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),t[o]={type:r.type,location:i.getAttribLocation(e,o),locationSize:a}}return t}function ir(i){return i!==""}function bu(i,e){let t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_SUN_LIGHTS/g,e.numSunLights).replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_SUN_LIGHT_SHADOWS/g,e.numSunLightShadows).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows).replace(/NUM_LIGHT_PROBE_GRIDS/g,e.numLightProbeGrids)}function Mu(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}var E0=/^[ \t]*#include +<([\w\d./]+)>/gm;function fc(i){return i.replace(E0,A0)}function A0(i,e){let t=He[e];if(t===void 0)throw new Error("THREE.WebGLProgram: Can not resolve #include <"+e+">");return fc(t)}var C0=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function Su(i){return i.replace(C0,R0)}function R0(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function wu(i){let e=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?e+=`
#define HIGH_PRECISION`:i.precision==="mediump"?e+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(e+=`
#define LOW_PRECISION`),e}var P0={[qs]:"SHADOWMAP_TYPE_PCF",[ls]:"SHADOWMAP_TYPE_VSM"};function I0(i){return P0[i.shadowMapType]||"SHADOWMAP_TYPE_BASIC"}var L0={[hs]:"ENVMAP_MODE_REFRACTION"};function N0(i){return i.envMap===!1?"ENVMAP_MODE_REFLECTION":L0[i.envMapMode]||"ENVMAP_MODE_REFLECTION"}var D0={[Ol]:"ENVMAP_BLENDING_MULTIPLY",[Vh]:"ENVMAP_BLENDING_MIX",[Gh]:"ENVMAP_BLENDING_ADD"};function U0(i){return i.envMap===!1?"ENVMAP_BLENDING_NONE":D0[i.combine]||"ENVMAP_BLENDING_NONE"}function F0(i,e,t,n){let s=i.getContext(),r=t.defines,o=t.vertexShader,a=t.fragmentShader,l=I0(t),c=t.envMapPMREM===!0?"ENVMAP_TYPE_PMREM":"ENVMAP_TYPE_CUBE",h=N0(t),d=U0(t),u=S0(t),f=w0(r),p=s.createProgram(),_,g,m=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(_=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,f].filter(ir).join(`
`),_.length>0&&(_+=`
`),g=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,f].filter(ir).join(`
`),g.length>0&&(g+=`
`)):(_=[wu(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,f,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.batchingColor?"#define USE_BATCHING_COLOR":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+h:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.diffuseRoughnessMapUv?"#define DIFFUSE_ROUGHNESSMAP_UV "+t.diffuseRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexNormals?"#define HAS_NORMAL":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",t.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(ir).join(`
`),g=[wu(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,f,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+h:"",t.envMap?"#define "+d:"",t.envMapPMREM?"#define ENVMAP_MAX_LOD "+t.envMapMaxLod+".0":"",t.envMapPMREM?"#define ENVMAP_SIZE "+t.envMapSize+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.packedNormalMap?"#define USE_PACKED_NORMALMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.diffuseRoughness?"#define USE_DIFFUSE_ROUGHNESS":"",t.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.retroreflection?"#define USE_RETROREFLECTION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas||t.batchingColor?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.decodeVideoTextureEmissive?"#define DECODE_VIDEO_TEXTURE_EMISSIVE":"",t.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",t.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==Un?"#define TONE_MAPPING":"",t.toneMapping!==Un?He.tonemapping_pars_fragment:"",t.toneMapping!==Un?b0("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",He.colorspace_pars_fragment,_0("linearToOutputTexel",t.outputColorSpace),M0(),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(ir).join(`
`)),o=fc(o),o=bu(o,t),o=Mu(o,t),a=fc(a),a=bu(a,t),a=Mu(a,t),o=Su(o),a=Su(a),t.isRawShaderMaterial!==!0&&(m=`#version 300 es
`,_=[u,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+_,g=["#define varying in",t.glslVersion===Tn?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===Tn?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+g);let M=m+_+o,C=m+g+a,E=vu(s,s.VERTEX_SHADER,M),R=vu(s,s.FRAGMENT_SHADER,C);s.attachShader(p,E),s.attachShader(p,R),t.index0AttributeName!==void 0?s.bindAttribLocation(p,0,t.index0AttributeName):t.hasPositionAttribute===!0&&s.bindAttribLocation(p,0,"position"),s.linkProgram(p);function A(N){if(i.debug.checkShaderErrors){let U=s.getProgramInfoLog(p)||"",V=s.getShaderInfoLog(E)||"",X=s.getShaderInfoLog(R)||"",w=U.trim(),G=V.trim(),q=X.trim(),O=!0,te=!0;if(s.getProgramParameter(p,s.LINK_STATUS)===!1)if(O=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,p,E,R);else{let W=xu(s,E,"vertex"),Q=xu(s,R,"fragment");Le("WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(p,s.VALIDATE_STATUS)+`

Material Name: `+N.name+`
Material Type: `+N.type+`

Program Info Log: `+w+`
`+W+`
`+Q)}else w!==""?Pe("WebGLProgram: Program Info Log:",w):(G===""||q==="")&&(te=!1);te&&(N.diagnostics={runnable:O,programLog:w,vertexShader:{log:G,prefix:_},fragmentShader:{log:q,prefix:g}})}s.deleteShader(E),s.deleteShader(R),y=new ds(s,p),S=T0(s,p)}let y;this.getUniforms=function(){return y===void 0&&A(this),y};let S;this.getAttributes=function(){return S===void 0&&A(this),S};let F=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return F===!1&&(F=s.getProgramParameter(p,m0)),F},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(p),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=g0++,this.cacheKey=e,this.usedTimes=1,this.program=p,this.vertexShader=E,this.fragmentShader=R,this}var O0=0,pc=class{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e,t,n){let s=this._getShaderCacheForMaterial(e);return s.has(t)===!1&&(s.add(t),t.usedTimes++),s.has(n)===!1&&(s.add(n),n.usedTimes++),this}remove(e){let t=this.materialCache.get(e);for(let n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderStage(e){return this._getShaderStage(e.vertexShader)}getFragmentShaderStage(e){return this._getShaderStage(e.fragmentShader)}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){let t=this.materialCache,n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){let t=this.shaderCache,n=t.get(e);return n===void 0&&(n=new mc(e),t.set(e,n)),n}},mc=class{constructor(e){this.id=O0++,this.code=e,this.usedTimes=0}};function B0(i){return i===yi||i===js||i===Qs}function k0(i,e,t,n,s,r){let o=new ss,a=new pc,l=new Set,c=[],h=new Map,d=n.logarithmicDepthBuffer,u={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distance",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function f(y){return l.add(y),y===0?"uv":`uv${y}`}function p(y,S,F,N,U,V){let X=N.fog,w=U.geometry,G=y.isMeshStandardMaterial||y.isMeshLambertMaterial||y.isMeshPhongMaterial?N.environment:null,q=y.isMeshStandardMaterial||y.isMeshLambertMaterial&&!y.envMap||y.isMeshPhongMaterial&&!y.envMap,O=e.get(y.envMap||G,q),te=u[y.type],W=n.precision;y.precision!==null&&(W=n.getMaxPrecision(y.precision),W!==y.precision&&Pe("WebGLProgram.getParameters:",y.precision,"not supported, using",W,"instead."));let Q=w.morphAttributes.position||w.morphAttributes.normal||w.morphAttributes.color,ee=Q!==void 0?Q.length:0,we=0;w.morphAttributes.position!==void 0&&(we=1),w.morphAttributes.normal!==void 0&&(we=2),w.morphAttributes.color!==void 0&&(we=3);let Fe,J,me,be;if(te){let fe=On[te];Fe=fe.vertexShader,J=fe.fragmentShader}else{Fe=y.vertexShader,J=y.fragmentShader;let fe=a.getVertexShaderStage(y),et=a.getFragmentShaderStage(y);a.update(y,fe,et),me=fe.id,be=et.id}let Ce=i.getRenderTarget(),ge=i.state.buffers.depth.getReversed(),Be=U.isInstancedMesh===!0,gt=U.isBatchedMesh===!0,Ie=!!y.map,Qe=!!y.matcap,tt=!!O,qe=tt&&O.isPMREMTexture===!0,Lt=!!y.aoMap,xt=!!y.lightMap,$t=!!y.bumpMap&&y.wireframe===!1,ut=!!y.normalMap,Rn=!!y.displacementMap,Tt=!!y.emissiveMap,hn=!!y.metalnessMap,un=!!y.roughnessMap,dn=y.anisotropy>0,D=y.clearcoat>0,fn=y.diffuseRoughness>0,at=y.dispersion>0,lt=y.retroreflectivity>0,de=y.iridescence>0,bt=y.sheen>0,Re=y.transmission>0,De=dn&&!!y.anisotropyMap,T=D&&!!y.clearcoatMap,x=D&&!!y.clearcoatNormalMap,k=D&&!!y.clearcoatRoughnessMap,ne=fn&&!!y.diffuseRoughnessMap,j=de&&!!y.iridescenceMap,re=de&&!!y.iridescenceThicknessMap,he=bt&&!!y.sheenColorMap,Y=bt&&!!y.sheenRoughnessMap,Z=!!y.specularMap,ae=!!y.specularColorMap,P=!!y.specularIntensityMap,K=Re&&!!y.transmissionMap,$=Re&&!!y.thicknessMap,le=!!y.gradientMap,se=!!y.alphaMap,oe=y.alphaTest>0,Ee=!!y.alphaHash,Ve=!!y.extensions,ie=Un;y.toneMapped&&(Ce===null||Ce.isXRRenderTarget===!0)&&(ie=i.toneMapping);let Ae=qe?O.isCompressedCubeTexture?O.image[0].mipmaps:O.mipmaps:null,ke={shaderID:te,shaderType:y.type,shaderName:y.name,vertexShader:Fe,fragmentShader:J,defines:y.defines,customVertexShaderID:me,customFragmentShaderID:be,isRawShaderMaterial:y.isRawShaderMaterial===!0,glslVersion:y.glslVersion,precision:W,batching:gt,batchingColor:gt&&U._colorsTexture!==null,instancing:Be,instancingColor:Be&&U.instanceColor!==null,instancingMorph:Be&&U.morphTexture!==null,outputColorSpace:Ce===null?i.outputColorSpace:Ce.isXRRenderTarget===!0?Ce.texture.colorSpace:We.workingColorSpace,alphaToCoverage:!!y.alphaToCoverage,map:Ie,matcap:Qe,envMap:tt,envMapMode:tt&&O.mapping,envMapPMREM:qe,envMapMaxLod:qe?Ae.length-1:null,envMapSize:qe?Ae[0].width:null,aoMap:Lt,lightMap:xt,bumpMap:$t,normalMap:ut,displacementMap:Rn,emissiveMap:Tt,normalMapObjectSpace:ut&&y.normalMapType===Xh,normalMapTangentSpace:ut&&y.normalMapType===jl,packedNormalMap:ut&&y.normalMapType===jl&&B0(y.normalMap.format),metalnessMap:hn,roughnessMap:un,anisotropy:dn,anisotropyMap:De,clearcoat:D,clearcoatMap:T,clearcoatNormalMap:x,clearcoatRoughnessMap:k,diffuseRoughness:fn,diffuseRoughnessMap:ne,dispersion:at,retroreflection:lt,iridescence:de,iridescenceMap:j,iridescenceThicknessMap:re,sheen:bt,sheenColorMap:he,sheenRoughnessMap:Y,specularMap:Z,specularColorMap:ae,specularIntensityMap:P,transmission:Re,transmissionMap:K,thicknessMap:$,gradientMap:le,opaque:y.transparent===!1&&y.blending===cs&&y.alphaToCoverage===!1,alphaMap:se,alphaTest:oe,alphaHash:Ee,combine:y.combine,mapUv:Ie&&f(y.map.channel),aoMapUv:Lt&&f(y.aoMap.channel),lightMapUv:xt&&f(y.lightMap.channel),bumpMapUv:$t&&f(y.bumpMap.channel),normalMapUv:ut&&f(y.normalMap.channel),displacementMapUv:Rn&&f(y.displacementMap.channel),emissiveMapUv:Tt&&f(y.emissiveMap.channel),metalnessMapUv:hn&&f(y.metalnessMap.channel),roughnessMapUv:un&&f(y.roughnessMap.channel),anisotropyMapUv:De&&f(y.anisotropyMap.channel),clearcoatMapUv:T&&f(y.clearcoatMap.channel),clearcoatNormalMapUv:x&&f(y.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:k&&f(y.clearcoatRoughnessMap.channel),diffuseRoughnessMapUv:ne&&f(y.diffuseRoughnessMap.channel),iridescenceMapUv:j&&f(y.iridescenceMap.channel),iridescenceThicknessMapUv:re&&f(y.iridescenceThicknessMap.channel),sheenColorMapUv:he&&f(y.sheenColorMap.channel),sheenRoughnessMapUv:Y&&f(y.sheenRoughnessMap.channel),specularMapUv:Z&&f(y.specularMap.channel),specularColorMapUv:ae&&f(y.specularColorMap.channel),specularIntensityMapUv:P&&f(y.specularIntensityMap.channel),transmissionMapUv:K&&f(y.transmissionMap.channel),thicknessMapUv:$&&f(y.thicknessMap.channel),alphaMapUv:se&&f(y.alphaMap.channel),vertexTangents:!!w.attributes.tangent&&(ut||dn),vertexNormals:!!w.attributes.normal,vertexColors:y.vertexColors,vertexAlphas:y.vertexColors===!0&&!!w.attributes.color&&w.attributes.color.itemSize===4,pointsUvs:U.isPoints===!0&&!!w.attributes.uv&&(Ie||se),fog:!!X,useFog:y.fog===!0,fogExp2:!!X&&X.isFogExp2,flatShading:y.wireframe===!1&&(y.flatShading===!0||w.attributes.normal===void 0&&ut===!1&&(y.isMeshLambertMaterial||y.isMeshPhongMaterial||y.isMeshStandardMaterial||y.isMeshPhysicalMaterial)),sizeAttenuation:y.sizeAttenuation===!0,logarithmicDepthBuffer:d,reversedDepthBuffer:ge,skinning:U.isSkinnedMesh===!0,hasPositionAttribute:w.attributes.position!==void 0,morphTargets:w.morphAttributes.position!==void 0,morphNormals:w.morphAttributes.normal!==void 0,morphColors:w.morphAttributes.color!==void 0,morphTargetsCount:ee,morphTextureStride:we,numSunLights:S.sun.length,numDirLights:S.directional.length,numPointLights:S.point.length,numSpotLights:S.spot.length,numSpotLightMaps:S.spotLightMap.length,numRectAreaLights:S.rectArea.length,numHemiLights:S.hemi.length,numSunLightShadows:S.sunShadowMap.length,numDirLightShadows:S.directionalShadowMap.length,numPointLightShadows:S.pointShadowMap.length,numSpotLightShadows:S.spotShadowMap.length,numSpotLightShadowsWithMaps:S.numSpotLightShadowsWithMaps,numLightProbes:S.numLightProbes,numLightProbeGrids:V.filter(fe=>fe.texture!==null).length,numClippingPlanes:r.numPlanes,numClipIntersection:r.numIntersection,dithering:y.dithering,shadowMapEnabled:i.shadowMap.enabled&&F.length>0,shadowMapType:i.shadowMap.type,toneMapping:ie,decodeVideoTexture:Ie&&y.map.isVideoTexture===!0&&We.getTransfer(y.map.colorSpace)===je,decodeVideoTextureEmissive:Tt&&y.emissiveMap.isVideoTexture===!0&&We.getTransfer(y.emissiveMap.colorSpace)===je,premultipliedAlpha:y.premultipliedAlpha,doubleSided:y.side===gn,flipSided:y.side===Xt,useDepthPacking:y.depthPacking>=0,depthPacking:y.depthPacking||0,index0AttributeName:y.index0AttributeName,extensionClipCullDistance:Ve&&y.extensions.clipCullDistance===!0&&t.has("WEBGL_clip_cull_distance"),extensionMultiDraw:(Ve&&y.extensions.multiDraw===!0||gt)&&t.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:t.has("KHR_parallel_shader_compile"),customProgramCacheKey:y.customProgramCacheKey()};return ke.vertexUv1s=l.has(1),ke.vertexUv2s=l.has(2),ke.vertexUv3s=l.has(3),l.clear(),ke}function _(y){let S=[];if(y.shaderID?S.push(y.shaderID):(S.push(y.customVertexShaderID),S.push(y.customFragmentShaderID)),y.defines!==void 0)for(let F in y.defines)S.push(F),S.push(y.defines[F]);return y.isRawShaderMaterial===!1&&(g(S,y),m(S,y),S.push(i.outputColorSpace)),S.push(y.customProgramCacheKey),S.join()}function g(y,S){y.push(S.precision),y.push(S.outputColorSpace),y.push(S.envMapMode),y.push(S.envMapPMREM),y.push(S.envMapMaxLod),y.push(S.envMapSize),y.push(S.mapUv),y.push(S.alphaMapUv),y.push(S.lightMapUv),y.push(S.aoMapUv),y.push(S.bumpMapUv),y.push(S.normalMapUv),y.push(S.displacementMapUv),y.push(S.emissiveMapUv),y.push(S.metalnessMapUv),y.push(S.roughnessMapUv),y.push(S.anisotropyMapUv),y.push(S.clearcoatMapUv),y.push(S.clearcoatNormalMapUv),y.push(S.clearcoatRoughnessMapUv),y.push(S.diffuseRoughnessMapUv),y.push(S.iridescenceMapUv),y.push(S.iridescenceThicknessMapUv),y.push(S.sheenColorMapUv),y.push(S.sheenRoughnessMapUv),y.push(S.specularMapUv),y.push(S.specularColorMapUv),y.push(S.specularIntensityMapUv),y.push(S.transmissionMapUv),y.push(S.thicknessMapUv),y.push(S.combine),y.push(S.fogExp2),y.push(S.sizeAttenuation),y.push(S.morphTargetsCount),y.push(S.numSunLights),y.push(S.numDirLights),y.push(S.numPointLights),y.push(S.numSpotLights),y.push(S.numSpotLightMaps),y.push(S.numHemiLights),y.push(S.numRectAreaLights),y.push(S.numSunLightShadows),y.push(S.numDirLightShadows),y.push(S.numPointLightShadows),y.push(S.numSpotLightShadows),y.push(S.numSpotLightShadowsWithMaps),y.push(S.numLightProbes),y.push(S.numLightProbeGrids),y.push(S.shadowMapType),y.push(S.toneMapping),y.push(S.numClippingPlanes),y.push(S.numClipIntersection),y.push(S.depthPacking)}function m(y,S){o.disableAll(),S.instancing&&o.enable(0),S.instancingColor&&o.enable(1),S.instancingMorph&&o.enable(2),S.matcap&&o.enable(3),S.envMap&&o.enable(4),S.normalMapObjectSpace&&o.enable(5),S.normalMapTangentSpace&&o.enable(6),S.clearcoat&&o.enable(7),S.iridescence&&o.enable(8),S.alphaTest&&o.enable(9),S.vertexColors&&o.enable(10),S.vertexAlphas&&o.enable(11),S.vertexUv1s&&o.enable(12),S.vertexUv2s&&o.enable(13),S.vertexUv3s&&o.enable(14),S.vertexTangents&&o.enable(15),S.anisotropy&&o.enable(16),S.alphaHash&&o.enable(17),S.batching&&o.enable(18),S.dispersion&&o.enable(19),S.retroreflection&&o.enable(24),S.diffuseRoughness&&o.enable(25),S.batchingColor&&o.enable(20),S.gradientMap&&o.enable(21),S.packedNormalMap&&o.enable(22),S.vertexNormals&&o.enable(23),y.push(o.mask),o.disableAll(),S.fog&&o.enable(0),S.useFog&&o.enable(1),S.flatShading&&o.enable(2),S.logarithmicDepthBuffer&&o.enable(3),S.reversedDepthBuffer&&o.enable(4),S.skinning&&o.enable(5),S.morphTargets&&o.enable(6),S.morphNormals&&o.enable(7),S.morphColors&&o.enable(8),S.premultipliedAlpha&&o.enable(9),S.shadowMapEnabled&&o.enable(10),S.doubleSided&&o.enable(11),S.flipSided&&o.enable(12),S.useDepthPacking&&o.enable(13),S.dithering&&o.enable(14),S.transmission&&o.enable(15),S.sheen&&o.enable(16),S.opaque&&o.enable(17),S.pointsUvs&&o.enable(18),S.decodeVideoTexture&&o.enable(19),S.decodeVideoTextureEmissive&&o.enable(20),S.alphaToCoverage&&o.enable(21),S.numLightProbeGrids>0&&o.enable(22),S.hasPositionAttribute&&o.enable(23),y.push(o.mask)}function M(y){let S=u[y.type],F;if(S){let N=On[S];F=ru.clone(N.uniforms)}else F=y.uniforms;return F}function C(y,S){let F=h.get(S);return F!==void 0?++F.usedTimes:(F=new F0(i,S,y,s),c.push(F),h.set(S,F)),F}function E(y){if(--y.usedTimes===0){let S=c.indexOf(y);c[S]=c[c.length-1],c.pop(),h.delete(y.cacheKey),y.destroy()}}function R(y){a.remove(y)}function A(){a.dispose()}return{getParameters:p,getProgramCacheKey:_,getUniforms:M,acquireProgram:C,releaseProgram:E,releaseShaderCache:R,programs:c,dispose:A}}function z0(){let i=new WeakMap;function e(o){return i.has(o)}function t(o){let a=i.get(o);return a===void 0&&(a={},i.set(o,a)),a}function n(o){i.delete(o)}function s(o,a,l){i.get(o)[a]=l}function r(){i=new WeakMap}return{has:e,get:t,remove:n,update:s,dispose:r}}function V0(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.materialVariant!==e.materialVariant?i.materialVariant-e.materialVariant:i.z!==e.z?i.z-e.z:i.id-e.id}function Tu(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function Eu(){let i=[],e=0,t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function o(u){let f=0;return u.isInstancedMesh&&(f+=2),u.isSkinnedMesh&&(f+=1),f}function a(u,f,p,_,g,m){let M=i[e];return M===void 0?(M={id:u.id,object:u,geometry:f,material:p,materialVariant:o(u),groupOrder:_,renderOrder:u.renderOrder,z:g,group:m},i[e]=M):(M.id=u.id,M.object=u,M.geometry=f,M.material=p,M.materialVariant=o(u),M.groupOrder=_,M.renderOrder=u.renderOrder,M.z=g,M.group=m),e++,M}function l(u,f,p,_,g,m,M){M.reversedDepth===!0&&(g=-g);let C=a(u,f,p,_,g,m);p.transmission>0?n.push(C):p.transparent===!0?s.push(C):t.push(C)}function c(u,f,p,_,g,m){let M=a(u,f,p,_,g,m);p.transmission>0?n.unshift(M):p.transparent===!0?s.unshift(M):t.unshift(M)}function h(u,f){t.length>1&&t.sort(u||V0),n.length>1&&n.sort(f||Tu),s.length>1&&s.sort(f||Tu)}function d(){for(let u=e,f=i.length;u<f;u++){let p=i[u];if(p.id===null)break;p.id=null,p.object=null,p.geometry=null,p.material=null,p.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:l,unshift:c,finish:d,sort:h}}function G0(){let i=new WeakMap;function e(n,s){let r=i.get(n),o;return r===void 0?(o=new Eu,i.set(n,[o])):s>=r.length?(o=new Eu,r.push(o)):o=r[s],o}function t(){i=new WeakMap}return{get:e,dispose:t}}function H0(){let i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"SunLight":case"DirectionalLight":t={direction:new I,color:new Ge};break;case"SpotLight":t={position:new I,direction:new I,color:new Ge,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new I,color:new Ge,distance:0,decay:0};break;case"HemisphereLight":t={direction:new I,skyColor:new Ge,groundColor:new Ge};break;case"RectAreaLight":t={color:new Ge,position:new I,halfWidth:new I,halfHeight:new I};break}return i[e.id]=t,t}}}function W0(){let i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"SunLight":case"DirectionalLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"SpotLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"PointLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}var X0=0;function q0(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function $0(i){let e=new H0,t=W0(),n={version:0,hash:{sunLength:-1,directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numSunShadows:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],sun:[],sunShadow:[],sunShadowMap:[],sunShadowMatrix:[],sunShadowCascade:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new I);let s=new I,r=new Xe,o=new Xe;function a(c){let h=0,d=0,u=0;for(let V=0;V<9;V++)n.probe[V].set(0,0,0);let f=0,p=0,_=0,g=0,m=0,M=0,C=0,E=0,R=0,A=0,y=0,S=0,F=0,N=0;c.sort(q0);for(let V=0,X=c.length;V<X;V++){let w=c[V],G=w.color,q=w.intensity,O=w.distance,te=null;if(w.shadow&&w.shadow.map&&(w.shadow.map.texture.format===yi?te=w.shadow.map.texture:te=w.shadow.map.depthTexture||w.shadow.map.texture),w.isAmbientLight)h+=G.r*q,d+=G.g*q,u+=G.b*q;else if(w.isLightProbe){for(let W=0;W<9;W++)n.probe[W].addScaledVector(w.sh.coefficients[W],q);N++}else if(w.isSunLight){let W=e.get(w);if(W.color.copy(w.color).multiplyScalar(w.intensity),w.castShadow){let Q=w.shadow,ee=t.get(w);ee.shadowIntensity=Q.intensity,ee.shadowBias=Q.bias,ee.shadowNormalBias=Q.normalBias,ee.shadowRadius=Q.radius,ee.shadowMapSize.copy(Q.mapSize).multiply(Q.getFrameExtents()),n.sunShadow[p]=ee,n.sunShadowMap[p]=te;let we=Q.getViewportCount();for(let Fe=0;Fe<we;Fe++)n.sunShadowMatrix[_+Fe]=Q.getMatrix(Fe),n.sunShadowCascade[_+Fe]=Q._cascadeData[Fe];_+=we,p++}n.sun[f]=W,f++}else if(w.isDirectionalLight){let W=e.get(w);if(W.color.copy(w.color).multiplyScalar(w.intensity),w.castShadow){let Q=w.shadow,ee=t.get(w);ee.shadowIntensity=Q.intensity,ee.shadowBias=Q.bias,ee.shadowNormalBias=Q.normalBias,ee.shadowRadius=Q.radius,ee.shadowMapSize=Q.mapSize,n.directionalShadow[g]=ee,n.directionalShadowMap[g]=te,n.directionalShadowMatrix[g]=w.shadow.matrix,R++}n.directional[g]=W,g++}else if(w.isSpotLight){let W=e.get(w);W.position.setFromMatrixPosition(w.matrixWorld),W.color.copy(G).multiplyScalar(q),W.distance=O,W.coneCos=Math.cos(w.angle),W.penumbraCos=Math.cos(w.angle*(1-w.penumbra)),W.decay=w.decay,n.spot[M]=W;let Q=w.shadow;if(w.map&&(n.spotLightMap[S]=w.map,S++,Q.updateMatrices(w),w.castShadow&&F++),n.spotLightMatrix[M]=Q.matrix,w.castShadow){let ee=t.get(w);ee.shadowIntensity=Q.intensity,ee.shadowBias=Q.bias,ee.shadowNormalBias=Q.normalBias,ee.shadowRadius=Q.radius,ee.shadowMapSize=Q.mapSize,n.spotShadow[M]=ee,n.spotShadowMap[M]=te,y++}M++}else if(w.isRectAreaLight){let W=e.get(w);W.color.copy(G).multiplyScalar(q),W.halfWidth.set(w.width*.5,0,0),W.halfHeight.set(0,w.height*.5,0),n.rectArea[C]=W,C++}else if(w.isPointLight){let W=e.get(w);if(W.color.copy(w.color).multiplyScalar(w.intensity),W.distance=w.distance,W.decay=w.decay,w.castShadow){let Q=w.shadow,ee=t.get(w);ee.shadowIntensity=Q.intensity,ee.shadowBias=Q.bias,ee.shadowNormalBias=Q.normalBias,ee.shadowRadius=Q.radius,ee.shadowMapSize=Q.mapSize,ee.shadowCameraNear=Q.camera.near,ee.shadowCameraFar=Q.camera.far,n.pointShadow[m]=ee,n.pointShadowMap[m]=te,n.pointShadowMatrix[m]=w.shadow.matrix,A++}n.point[m]=W,m++}else if(w.isHemisphereLight){let W=e.get(w);W.skyColor.copy(w.color).multiplyScalar(q),W.groundColor.copy(w.groundColor).multiplyScalar(q),n.hemi[E]=W,E++}}C>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=pe.LTC_FLOAT_1,n.rectAreaLTC2=pe.LTC_FLOAT_2):(n.rectAreaLTC1=pe.LTC_HALF_1,n.rectAreaLTC2=pe.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=d,n.ambient[2]=u;let U=n.hash;(U.sunLength!==f||U.directionalLength!==g||U.pointLength!==m||U.spotLength!==M||U.rectAreaLength!==C||U.hemiLength!==E||U.numSunShadows!==p||U.numDirectionalShadows!==R||U.numPointShadows!==A||U.numSpotShadows!==y||U.numSpotMaps!==S||U.numLightProbes!==N)&&(n.sun.length=f,n.directional.length=g,n.spot.length=M,n.rectArea.length=C,n.point.length=m,n.hemi.length=E,n.sunShadow.length=p,n.sunShadowMap.length=p,n.sunShadowMatrix.length=_,n.sunShadowCascade.length=_,n.directionalShadow.length=R,n.directionalShadowMap.length=R,n.directionalShadowMatrix.length=R,n.pointShadow.length=A,n.pointShadowMap.length=A,n.pointShadowMatrix.length=A,n.spotShadow.length=y,n.spotShadowMap.length=y,n.spotLightMatrix.length=y+S-F,n.spotLightMap.length=S,n.numSpotLightShadowsWithMaps=F,n.numLightProbes=N,U.sunLength=f,U.directionalLength=g,U.pointLength=m,U.spotLength=M,U.rectAreaLength=C,U.hemiLength=E,U.numSunShadows=p,U.numDirectionalShadows=R,U.numPointShadows=A,U.numSpotShadows=y,U.numSpotMaps=S,U.numLightProbes=N,n.version=X0++)}function l(c,h){let d=0,u=0,f=0,p=0,_=0,g=0,m=h.matrixWorldInverse;for(let M=0,C=c.length;M<C;M++){let E=c[M];if(E.isSunLight){let R=n.sun[d];R.direction.setFromMatrixPosition(E.matrixWorld),R.direction.transformDirection(m),d++}else if(E.isDirectionalLight){let R=n.directional[u];R.direction.setFromMatrixPosition(E.matrixWorld),s.setFromMatrixPosition(E.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(m),u++}else if(E.isSpotLight){let R=n.spot[p];R.position.setFromMatrixPosition(E.matrixWorld),R.position.applyMatrix4(m),R.direction.setFromMatrixPosition(E.matrixWorld),s.setFromMatrixPosition(E.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(m),p++}else if(E.isRectAreaLight){let R=n.rectArea[_];R.position.setFromMatrixPosition(E.matrixWorld),R.position.applyMatrix4(m),o.identity(),r.copy(E.matrixWorld),r.premultiply(m),o.extractRotation(r),R.halfWidth.set(E.width*.5,0,0),R.halfHeight.set(0,E.height*.5,0),R.halfWidth.applyMatrix4(o),R.halfHeight.applyMatrix4(o),_++}else if(E.isPointLight){let R=n.point[f];R.position.setFromMatrixPosition(E.matrixWorld),R.position.applyMatrix4(m),f++}else if(E.isHemisphereLight){let R=n.hemi[g];R.direction.setFromMatrixPosition(E.matrixWorld),R.direction.transformDirection(m),g++}}}return{setup:a,setupView:l,state:n}}function Au(i){let e=new $0(i),t=[],n=[],s=[];function r(d){h.camera=d,t.length=0,n.length=0,s.length=0}function o(d){d.isLightProbeGrid?s.push(d):t.push(d)}function a(d){n.push(d)}function l(){e.setup(t),s.sort((d,u)=>d.priority-u.priority||d.id-u.id)}function c(d){e.setupView(t,d)}let h={lightsArray:t,shadowsArray:n,lightProbeGridArray:s,camera:null,lights:e,transmissionRenderTarget:{},textureUnits:0};return{init:r,state:h,setupLights:l,setupLightsView:c,pushLight:o,pushShadow:a}}function Y0(i){let e=new WeakMap;function t(s,r=0){let o=e.get(s),a;return o===void 0?(a=new Au(i),e.set(s,[a])):r>=o.length?(a=new Au(i),o.push(a)):a=o[r],a}function n(){e=new WeakMap}return{get:t,dispose:n}}var Z0=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,J0=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ).rg;
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ).r;
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( max( 0.0, squared_mean - mean * mean ) );
	gl_FragColor = vec4( mean, std_dev, 0.0, 1.0 );
}`,K0=[new I(1,0,0),new I(-1,0,0),new I(0,1,0),new I(0,-1,0),new I(0,0,1),new I(0,0,-1)],j0=[new I(0,-1,0),new I(0,-1,0),new I(0,0,1),new I(0,0,-1),new I(0,-1,0),new I(0,-1,0)],Cu=new Xe,nr=new I,cc=new I;function Q0(i,e,t){let n=new Li,s=new ze,r=new ze,o=new it,a=new co,l=new ho,c={},h=t.maxTextureSize,d={[gi]:Xt,[Xt]:gi,[gn]:gn},u=new Pt({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new ze},radius:{value:4}},vertexShader:Z0,fragmentShader:J0}),f=u.clone();f.defines.HORIZONTAL_PASS=1;let p=new zt;p.setAttribute("position",new Mt(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));let _=new Qt(p,u),g=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=qs;let m=this.type;this.render=function(A,y,S){if(g.enabled===!1||g.autoUpdate===!1&&g.needsUpdate===!1||A.length===0)return;this.type===Mh&&(Pe("WebGLShadowMap: PCFSoftShadowMap has been removed. Using PCFShadowMap instead."),this.type=qs);let F=i.getRenderTarget(),N=i.getActiveCubeFace(),U=i.getActiveMipmapLevel(),V=i.state;V.setBlending(Di),V.buffers.depth.getReversed()===!0?V.buffers.color.setClear(0,0,0,0):V.buffers.color.setClear(1,1,1,1),V.buffers.depth.setTest(!0),V.setScissorTest(!1);let X=m!==this.type;X&&y.traverse(function(w){w.material&&(Array.isArray(w.material)?w.material.forEach(G=>G.needsUpdate=!0):w.material.needsUpdate=!0)});for(let w=0,G=A.length;w<G;w++){let q=A[w],O=q.shadow;if(O===void 0){Pe("WebGLShadowMap:",q,"has no shadow.");continue}if(O.autoUpdate===!1&&O.needsUpdate===!1)continue;s.copy(O.mapSize);let te=O.getFrameExtents();s.multiply(te),r.copy(O.mapSize),(s.x>h||s.y>h)&&(s.x>h&&(r.x=Math.floor(h/te.x),s.x=r.x*te.x,O.mapSize.x=r.x),s.y>h&&(r.y=Math.floor(h/te.y),s.y=r.y*te.y,O.mapSize.y=r.y));let W=i.state.buffers.depth.getReversed();if(O.camera._reversedDepth=W,O.map===null||X===!0){if(O.map!==null&&(O.map.depthTexture!==null&&(O.map.depthTexture.dispose(),O.map.depthTexture=null),O.map.dispose()),this.type===ls){if(q.isPointLight){Pe("WebGLShadowMap: VSM shadow maps are not supported for PointLights. Use PCF or BasicShadowMap instead.");continue}O.map=new Rt(s.x,s.y,{format:yi,type:wn,minFilter:Wt,magFilter:Wt,generateMipmaps:!1}),O.map.texture.name=q.name+".shadowMap",O.map.depthTexture=new Sn(s.x,s.y,en),O.map.depthTexture.name=q.name+".shadowMapDepth",O.map.depthTexture.format=Yn,O.map.depthTexture.compareFunction=null,O.map.depthTexture.minFilter=ct,O.map.depthTexture.magFilter=ct}else q.isPointLight?(O.map=new sr(s.x),O.map.depthTexture=new Vs(s.x,an)):(O.map=new Rt(s.x,s.y),O.map.depthTexture=new Sn(s.x,s.y,an)),O.map.depthTexture.name=q.name+".shadowMap",O.map.depthTexture.format=Yn,this.type===qs?(O.map.depthTexture.compareFunction=W?ec:Ql,O.map.depthTexture.minFilter=Wt,O.map.depthTexture.magFilter=Wt):(O.map.depthTexture.compareFunction=null,O.map.depthTexture.minFilter=ct,O.map.depthTexture.magFilter=ct);O.camera.updateProjectionMatrix()}O.map.isWebGLCubeRenderTarget!==!0&&(O.map.width!==s.x||O.map.height!==s.y)&&O.map.setSize(s.x,s.y);let Q=O.map.isWebGLCubeRenderTarget?6:O.getViewportCount();q.isPointLight!==!0&&O.updateMatrices(q,S);let ee=(O.camera.layers.mask&4294967294)!==0?O.camera.layers:S.layers;for(let we=0;we<Q;we++){let Fe=O.getCamera(we);if(q.isPointLight){let J=O.camera,me=O.matrix,be=q.distance||J.far;be!==J.far&&(J.far=be,J.updateProjectionMatrix()),nr.setFromMatrixPosition(q.matrixWorld),J.position.copy(nr),cc.copy(J.position),cc.add(K0[we]),J.up.copy(j0[we]),J.lookAt(cc),J.updateMatrixWorld(),me.makeTranslation(-nr.x,-nr.y,-nr.z),Cu.multiplyMatrices(J.projectionMatrix,J.matrixWorldInverse),O._frustum.setFromProjectionMatrix(Cu,J.coordinateSystem,J.reversedDepth)}if(O.map.isWebGLCubeRenderTarget)i.setRenderTarget(O.map,we),i.clear();else{we===0&&(i.setRenderTarget(O.map),i.clear());let J=O.getViewport(we);o.set(r.x*J.x,r.y*J.y,r.x*J.z,r.y*J.w),V.viewport(o)}n=O.getFrustum(we),E(y,S,Fe,q,ee,this.type)}O.isPointLightShadow!==!0&&this.type===ls&&M(O,S),O.needsUpdate=!1}m=this.type,g.needsUpdate=!1,i.setRenderTarget(F,N,U)};function M(A,y){let S=e.update(_);u.defines.VSM_SAMPLES!==A.blurSamples&&(u.defines.VSM_SAMPLES=A.blurSamples,f.defines.VSM_SAMPLES=A.blurSamples,u.needsUpdate=!0,f.needsUpdate=!0),A.mapPass===null?A.mapPass=new Rt(s.x,s.y,{format:yi,type:wn}):(A.mapPass.width!==A.map.width||A.mapPass.height!==A.map.height)&&A.mapPass.setSize(A.map.width,A.map.height),u.uniforms.shadow_pass.value=A.map.depthTexture,u.uniforms.resolution.value.set(A.map.width,A.map.height),u.uniforms.radius.value=A.radius,i.setRenderTarget(A.mapPass),i.clear(),i.renderBufferDirect(y,null,S,u,_,null),f.uniforms.shadow_pass.value=A.mapPass.texture,f.uniforms.resolution.value.set(A.map.width,A.map.height),f.uniforms.radius.value=A.radius,i.setRenderTarget(A.map),i.clear(),i.renderBufferDirect(y,null,S,f,_,null)}function C(A,y,S,F){let N=null,U=S.isPointLight===!0?A.customDistanceMaterial:A.customDepthMaterial;if(U!==void 0)N=U;else if(N=S.isPointLight===!0?l:a,i.localClippingEnabled&&y.clipShadows===!0&&Array.isArray(y.clippingPlanes)&&y.clippingPlanes.length!==0||y.displacementMap&&y.displacementScale!==0||y.alphaMap&&y.alphaTest>0||y.map&&y.alphaTest>0||y.alphaToCoverage===!0){let V=N.uuid,X=y.uuid,w=c[V];w===void 0&&(w={},c[V]=w);let G=w[X];G===void 0&&(G=N.clone(),w[X]=G,y.addEventListener("dispose",R)),N=G}if(N.visible=y.visible,N.wireframe=y.wireframe,F===ls?N.side=y.shadowSide!==null?y.shadowSide:y.side:N.side=y.shadowSide!==null?y.shadowSide:d[y.side],N.alphaMap=y.alphaMap,N.alphaTest=y.alphaToCoverage===!0?.5:y.alphaTest,N.map=y.map,N.clipShadows=y.clipShadows,N.clippingPlanes=y.clippingPlanes,N.clipIntersection=y.clipIntersection,N.displacementMap=y.displacementMap,N.displacementScale=y.displacementScale,N.displacementBias=y.displacementBias,N.wireframeLinewidth=y.wireframeLinewidth,N.linewidth=y.linewidth,S.isPointLight===!0&&N.isMeshDistanceMaterial===!0){let V=i.properties.get(N);V.light=S}return N}function E(A,y,S,F,N,U){if(A.visible===!1)return;if(A.layers.test(N)&&(A.isMesh||A.isLine||A.isPoints)&&(A.castShadow||A.receiveShadow&&U===ls)&&(!A.frustumCulled||A.intersectsFrustum(n))){A.modelViewMatrix.multiplyMatrices(S.matrixWorldInverse,A.matrixWorld);let w=e.update(A),G=A.material;if(Array.isArray(G)){let q=w.groups;for(let O=0,te=q.length;O<te;O++){let W=q[O],Q=G[W.materialIndex];if(Q&&Q.visible){let ee=C(A,Q,F,U);A.onBeforeShadow(i,A,y,S,w,ee,W),i.renderBufferDirect(S,null,w,ee,A,W),A.onAfterShadow(i,A,y,S,w,ee,W)}}}else if(G.visible){let q=C(A,G,F,U);A.onBeforeShadow(i,A,y,S,w,q,null),i.renderBufferDirect(S,null,w,q,A,null),A.onAfterShadow(i,A,y,S,w,q,null)}}let X=A.children;for(let w=0,G=X.length;w<G;w++)E(X[w],y,S,F,N,U)}function R(A){A.target.removeEventListener("dispose",R);for(let S in c){let F=c[S],N=A.target.uuid;N in F&&(F[N].dispose(),delete F[N])}}}function ey(i,e){function t(){let P=!1,K=new it,$=null,le=new it(0,0,0,0);return{setMask:function(se){$!==se&&!P&&(i.colorMask(se,se,se,se),$=se)},setLocked:function(se){P=se},setClear:function(se,oe,Ee,Ve,ie){ie===!0&&(se*=Ve,oe*=Ve,Ee*=Ve),K.set(se,oe,Ee,Ve),le.equals(K)===!1&&(i.clearColor(se,oe,Ee,Ve),le.copy(K))},reset:function(){P=!1,$=null,le.set(-1,0,0,0)}}}function n(){let P=!1,K=!1,$=null,le=null,se=null;return{setReversed:function(oe){if(K!==oe){let Ee=e.get("EXT_clip_control");oe?Ee.clipControlEXT(Ee.LOWER_LEFT_EXT,Ee.ZERO_TO_ONE_EXT):Ee.clipControlEXT(Ee.LOWER_LEFT_EXT,Ee.NEGATIVE_ONE_TO_ONE_EXT),K=oe;let Ve=se;se=null,this.setClear(Ve)}},getReversed:function(){return K},setTest:function(oe){oe?ge(i.DEPTH_TEST):Be(i.DEPTH_TEST)},setMask:function(oe){$!==oe&&!P&&(i.depthMask(oe),$=oe)},setFunc:function(oe){if(K&&(oe=nu[oe]),le!==oe){switch(oe){case Vr:i.depthFunc(i.NEVER);break;case Gr:i.depthFunc(i.ALWAYS);break;case Hr:i.depthFunc(i.LESS);break;case ts:i.depthFunc(i.LEQUAL);break;case Wr:i.depthFunc(i.EQUAL);break;case Xr:i.depthFunc(i.GEQUAL);break;case qr:i.depthFunc(i.GREATER);break;case $r:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}le=oe}},setLocked:function(oe){P=oe},setClear:function(oe){se!==oe&&(se=oe,K&&(oe=1-oe),i.clearDepth(oe))},reset:function(){P=!1,$=null,le=null,se=null,K=!1}}}function s(){let P=!1,K=null,$=null,le=null,se=null,oe=null,Ee=null,Ve=null,ie=null;return{setTest:function(Ae){P||(Ae?ge(i.STENCIL_TEST):Be(i.STENCIL_TEST))},setMask:function(Ae){K!==Ae&&!P&&(i.stencilMask(Ae),K=Ae)},setFunc:function(Ae,ke,fe){($!==Ae||le!==ke||se!==fe)&&(i.stencilFunc(Ae,ke,fe),$=Ae,le=ke,se=fe)},setOp:function(Ae,ke,fe){(oe!==Ae||Ee!==ke||Ve!==fe)&&(i.stencilOp(Ae,ke,fe),oe=Ae,Ee=ke,Ve=fe)},setLocked:function(Ae){P=Ae},setClear:function(Ae){ie!==Ae&&(i.clearStencil(Ae),ie=Ae)},reset:function(){P=!1,K=null,$=null,le=null,se=null,oe=null,Ee=null,Ve=null,ie=null}}}let r=new t,o=new n,a=new s,l={},c=new WeakMap,h={},d={},u={},f=new WeakMap,p=[],_=null,g=!1,m=null,M=null,C=null,E=null,R=null,A=null,y=null,S=new Ge(0,0,0),F=0,N=!1,U=null,V=null,X=null,w=null,G=null,q=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS),O=!1,te=0,W=i.getParameter(i.VERSION);W.indexOf("WebGL")!==-1?(te=parseFloat(/^WebGL (\d)/.exec(W)[1]),O=te>=1):W.indexOf("OpenGL ES")!==-1&&(te=parseFloat(/^OpenGL ES (\d)/.exec(W)[1]),O=te>=2);let Q=null,ee={},we=i.getParameter(i.SCISSOR_BOX),Fe=i.getParameter(i.VIEWPORT),J=new it().fromArray(we),me=new it().fromArray(Fe);function be(P,K,$,le){let se=new Uint8Array(4),oe=i.createTexture();i.bindTexture(P,oe),i.texParameteri(P,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(P,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let Ee=0;Ee<$;Ee++)P===i.TEXTURE_3D||P===i.TEXTURE_2D_ARRAY?i.texImage3D(K,0,i.RGBA,1,1,le,0,i.RGBA,i.UNSIGNED_BYTE,se):i.texImage2D(K+Ee,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,se);return oe}let Ce={};Ce[i.TEXTURE_2D]=be(i.TEXTURE_2D,i.TEXTURE_2D,1),Ce[i.TEXTURE_CUBE_MAP]=be(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),Ce[i.TEXTURE_2D_ARRAY]=be(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),Ce[i.TEXTURE_3D]=be(i.TEXTURE_3D,i.TEXTURE_3D,1,1),r.setClear(0,0,0,1),o.setClear(1),a.setClear(0),ge(i.DEPTH_TEST),o.setFunc(ts),$t(!1),ut(Il),ge(i.CULL_FACE),Lt(Di);function ge(P){h[P]!==!0&&(i.enable(P),h[P]=!0)}function Be(P){h[P]!==!1&&(i.disable(P),h[P]=!1)}function gt(P,K){return u[P]!==K?(i.bindFramebuffer(P,K),u[P]=K,P===i.DRAW_FRAMEBUFFER&&(u[i.FRAMEBUFFER]=K),P===i.FRAMEBUFFER&&(u[i.DRAW_FRAMEBUFFER]=K),!0):!1}function Ie(P,K){let $=p,le=!1;if(P){$=f.get(K),$===void 0&&($=[],f.set(K,$));let se=P.textures;if($.length!==se.length||$[0]!==i.COLOR_ATTACHMENT0){for(let oe=0,Ee=se.length;oe<Ee;oe++)$[oe]=i.COLOR_ATTACHMENT0+oe;$.length=se.length,le=!0}}else $[0]!==i.BACK&&($[0]=i.BACK,le=!0);le&&i.drawBuffers($)}function Qe(P){return _!==P?(i.useProgram(P),_=P,!0):!1}let tt={[Ui]:i.FUNC_ADD,[wh]:i.FUNC_SUBTRACT,[Th]:i.FUNC_REVERSE_SUBTRACT};tt[Eh]=i.MIN,tt[Ah]=i.MAX;let qe={[Ch]:i.ZERO,[Rh]:i.ONE,[Ph]:i.SRC_COLOR,[Ul]:i.SRC_ALPHA,[Fh]:i.SRC_ALPHA_SATURATE,[Dh]:i.DST_COLOR,[Lh]:i.DST_ALPHA,[Ih]:i.ONE_MINUS_SRC_COLOR,[Fl]:i.ONE_MINUS_SRC_ALPHA,[Uh]:i.ONE_MINUS_DST_COLOR,[Nh]:i.ONE_MINUS_DST_ALPHA,[Oh]:i.CONSTANT_COLOR,[Bh]:i.ONE_MINUS_CONSTANT_COLOR,[kh]:i.CONSTANT_ALPHA,[zh]:i.ONE_MINUS_CONSTANT_ALPHA};function Lt(P,K,$,le,se,oe,Ee,Ve,ie,Ae){if(P===Di){g===!0&&(Be(i.BLEND),g=!1);return}if(g===!1&&(ge(i.BLEND),g=!0),P!==Sh){if(P!==m||Ae!==N){if((M!==Ui||R!==Ui)&&(i.blendEquation(i.FUNC_ADD),M=Ui,R=Ui),Ae)switch(P){case cs:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Ll:i.blendFunc(i.ONE,i.ONE);break;case Nl:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case Dl:i.blendFuncSeparate(i.DST_COLOR,i.ONE_MINUS_SRC_ALPHA,i.ZERO,i.ONE);break;default:Le("WebGLState: Invalid blending: ",P);break}else switch(P){case cs:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Ll:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE,i.ONE,i.ONE);break;case Nl:Le("WebGLState: SubtractiveBlending requires material.premultipliedAlpha = true");break;case Dl:Le("WebGLState: MultiplyBlending requires material.premultipliedAlpha = true");break;default:Le("WebGLState: Invalid blending: ",P);break}C=null,E=null,A=null,y=null,S.set(0,0,0),F=0,m=P,N=Ae}return}se=se||K,oe=oe||$,Ee=Ee||le,(K!==M||se!==R)&&(i.blendEquationSeparate(tt[K],tt[se]),M=K,R=se),($!==C||le!==E||oe!==A||Ee!==y)&&(i.blendFuncSeparate(qe[$],qe[le],qe[oe],qe[Ee]),C=$,E=le,A=oe,y=Ee),(Ve.equals(S)===!1||ie!==F)&&(i.blendColor(Ve.r,Ve.g,Ve.b,ie),S.copy(Ve),F=ie),m=P,N=!1}function xt(P,K){P.side===gn?Be(i.CULL_FACE):ge(i.CULL_FACE);let $=P.side===Xt;K&&($=!$),$t($),P.blending===cs&&P.transparent===!1?Lt(Di):Lt(P.blending,P.blendEquation,P.blendSrc,P.blendDst,P.blendEquationAlpha,P.blendSrcAlpha,P.blendDstAlpha,P.blendColor,P.blendAlpha,P.premultipliedAlpha),o.setFunc(P.depthFunc),o.setTest(P.depthTest),o.setMask(P.depthWrite),r.setMask(P.colorWrite);let le=P.stencilWrite;a.setTest(le),le&&(a.setMask(P.stencilWriteMask),a.setFunc(P.stencilFunc,P.stencilRef,P.stencilFuncMask),a.setOp(P.stencilFail,P.stencilZFail,P.stencilZPass)),Tt(P.polygonOffset,P.polygonOffsetFactor,P.polygonOffsetUnits),P.alphaToCoverage===!0?ge(i.SAMPLE_ALPHA_TO_COVERAGE):Be(i.SAMPLE_ALPHA_TO_COVERAGE)}function $t(P){U!==P&&(P?i.frontFace(i.CW):i.frontFace(i.CCW),U=P)}function ut(P){P!==xh?(ge(i.CULL_FACE),P!==V&&(P===Il?i.cullFace(i.BACK):P===bh?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):Be(i.CULL_FACE),V=P}function Rn(P){P!==X&&(O&&i.lineWidth(P),X=P)}function Tt(P,K,$){P?(ge(i.POLYGON_OFFSET_FILL),(w!==K||G!==$)&&(w=K,G=$,o.getReversed()&&(K=-K,$=-$),i.polygonOffset(K,$))):Be(i.POLYGON_OFFSET_FILL)}function hn(P){P?ge(i.SCISSOR_TEST):Be(i.SCISSOR_TEST)}function un(P){P===void 0&&(P=i.TEXTURE0+q-1),Q!==P&&(i.activeTexture(P),Q=P)}function dn(P,K,$){$===void 0&&(Q===null?$=i.TEXTURE0+q-1:$=Q);let le=ee[$];le===void 0&&(le={type:void 0,texture:void 0},ee[$]=le),(le.type!==P||le.texture!==K)&&(Q!==$&&(i.activeTexture($),Q=$),i.bindTexture(P,K||Ce[P]),le.type=P,le.texture=K)}function D(){let P=ee[Q];P!==void 0&&P.type!==void 0&&(i.bindTexture(P.type,null),P.type=void 0,P.texture=void 0)}function fn(){try{i.compressedTexImage2D(...arguments)}catch(P){Le("WebGLState:",P)}}function at(){try{i.compressedTexImage3D(...arguments)}catch(P){Le("WebGLState:",P)}}function lt(){try{i.texSubImage2D(...arguments)}catch(P){Le("WebGLState:",P)}}function de(){try{i.texSubImage3D(...arguments)}catch(P){Le("WebGLState:",P)}}function bt(){try{i.compressedTexSubImage2D(...arguments)}catch(P){Le("WebGLState:",P)}}function Re(){try{i.compressedTexSubImage3D(...arguments)}catch(P){Le("WebGLState:",P)}}function De(){try{i.texStorage2D(...arguments)}catch(P){Le("WebGLState:",P)}}function T(){try{i.texStorage3D(...arguments)}catch(P){Le("WebGLState:",P)}}function x(){try{i.texImage2D(...arguments)}catch(P){Le("WebGLState:",P)}}function k(){try{i.texImage3D(...arguments)}catch(P){Le("WebGLState:",P)}}function ne(P){return d[P]!==void 0?d[P]:i.getParameter(P)}function j(P,K){d[P]!==K&&(i.pixelStorei(P,K),d[P]=K)}function re(P){J.equals(P)===!1&&(i.scissor(P.x,P.y,P.z,P.w),J.copy(P))}function he(P){me.equals(P)===!1&&(i.viewport(P.x,P.y,P.z,P.w),me.copy(P))}function Y(P,K){let $=c.get(K);$===void 0&&($=new WeakMap,c.set(K,$));let le=$.get(P);le===void 0&&(le=i.getUniformBlockIndex(K,P.name),i.uniformBlockBinding(K,le,le),$.set(P,le))}function Z(P,K,$){let se=c.get(K).get(P);l[se]!==$&&(i.bindBufferBase(i.UNIFORM_BUFFER,se,$),l[se]=$)}function ae(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),o.setReversed(!1),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),i.pixelStorei(i.PACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,!1),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,!1),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,i.BROWSER_DEFAULT_WEBGL),i.pixelStorei(i.PACK_ROW_LENGTH,0),i.pixelStorei(i.PACK_SKIP_PIXELS,0),i.pixelStorei(i.PACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_ROW_LENGTH,0),i.pixelStorei(i.UNPACK_IMAGE_HEIGHT,0),i.pixelStorei(i.UNPACK_SKIP_PIXELS,0),i.pixelStorei(i.UNPACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_SKIP_IMAGES,0),h={},d={},Q=null,ee={},u={},l={},f=new WeakMap,p=[],_=null,g=!1,m=null,M=null,C=null,E=null,R=null,A=null,y=null,S=new Ge(0,0,0),F=0,N=!1,U=null,V=null,X=null,w=null,G=null,J.set(0,0,i.canvas.width,i.canvas.height),me.set(0,0,i.canvas.width,i.canvas.height),r.reset(),o.reset(),a.reset()}return{buffers:{color:r,depth:o,stencil:a},enable:ge,disable:Be,bindFramebuffer:gt,drawBuffers:Ie,useProgram:Qe,setBlending:Lt,setMaterial:xt,setFlipSided:$t,setCullFace:ut,setLineWidth:Rn,setPolygonOffset:Tt,setScissorTest:hn,activeTexture:un,bindTexture:dn,unbindTexture:D,compressedTexImage2D:fn,compressedTexImage3D:at,texImage2D:x,texImage3D:k,pixelStorei:j,getParameter:ne,updateUBOMapping:Y,uniformBlockBinding:Z,texStorage2D:De,texStorage3D:T,texSubImage2D:lt,texSubImage3D:de,compressedTexSubImage2D:bt,compressedTexSubImage3D:Re,scissor:re,viewport:he,reset:ae}}function ty(i,e,t,n,s,r,o){let a=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new ze,h=new WeakMap,d=new Set,u,f=new WeakMap,p=new Set,_=new FinalizationRegistry(T=>p.delete(T)),g=!1;try{g=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function m(T,x){return g?new OffscreenCanvas(T,x):Ns("canvas")}function M(T,x,k){let ne=1,j=De(T);if((j.width>k||j.height>k)&&(ne=k/Math.max(j.width,j.height)),ne<1)if(typeof HTMLImageElement<"u"&&T instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&T instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&T instanceof ImageBitmap||typeof VideoFrame<"u"&&T instanceof VideoFrame){let re=Math.floor(ne*j.width),he=Math.floor(ne*j.height);u===void 0&&(u=m(re,he));let Y=x?m(re,he):u;return Y.width=re,Y.height=he,Y.getContext("2d").drawImage(T,0,0,re,he),Pe("WebGLRenderer: Texture has been resized from ("+j.width+"x"+j.height+") to ("+re+"x"+he+")."),Y}else return"data"in T&&Pe("WebGLRenderer: Image in DataTexture is too big ("+j.width+"x"+j.height+")."),T;return T}function C(T){return T.generateMipmaps}function E(T){i.generateMipmap(T)}function R(T){return T.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:T.isWebGL3DRenderTarget?i.TEXTURE_3D:T.isWebGLArrayRenderTarget||T.isCompressedArrayTexture?i.TEXTURE_2D_ARRAY:i.TEXTURE_2D}function A(T,x,k,ne,j,re=!1){if(T!==null){if(i[T]!==void 0)return i[T];Pe("WebGLRenderer: Attempt to use non-existing WebGL internal format '"+T+"'")}let he;ne&&(he=e.get("EXT_texture_norm16"),he||Pe("WebGLRenderer: Unable to use normalized textures without EXT_texture_norm16 extension"));let Y=x;if(x===i.RED&&(k===i.FLOAT&&(Y=i.R32F),k===i.HALF_FLOAT&&(Y=i.R16F),k===i.UNSIGNED_BYTE&&(Y=i.R8),k===i.UNSIGNED_SHORT&&he&&(Y=he.R16_EXT),k===i.SHORT&&he&&(Y=he.R16_SNORM_EXT)),x===i.RED_INTEGER&&(k===i.UNSIGNED_BYTE&&(Y=i.R8UI),k===i.UNSIGNED_SHORT&&(Y=i.R16UI),k===i.UNSIGNED_INT&&(Y=i.R32UI),k===i.BYTE&&(Y=i.R8I),k===i.SHORT&&(Y=i.R16I),k===i.INT&&(Y=i.R32I)),x===i.RG&&(k===i.FLOAT&&(Y=i.RG32F),k===i.HALF_FLOAT&&(Y=i.RG16F),k===i.UNSIGNED_BYTE&&(Y=i.RG8),k===i.UNSIGNED_SHORT&&he&&(Y=he.RG16_EXT),k===i.SHORT&&he&&(Y=he.RG16_SNORM_EXT)),x===i.RG_INTEGER&&(k===i.UNSIGNED_BYTE&&(Y=i.RG8UI),k===i.UNSIGNED_SHORT&&(Y=i.RG16UI),k===i.UNSIGNED_INT&&(Y=i.RG32UI),k===i.BYTE&&(Y=i.RG8I),k===i.SHORT&&(Y=i.RG16I),k===i.INT&&(Y=i.RG32I)),x===i.RGB_INTEGER&&(k===i.UNSIGNED_BYTE&&(Y=i.RGB8UI),k===i.UNSIGNED_SHORT&&(Y=i.RGB16UI),k===i.UNSIGNED_INT&&(Y=i.RGB32UI),k===i.BYTE&&(Y=i.RGB8I),k===i.SHORT&&(Y=i.RGB16I),k===i.INT&&(Y=i.RGB32I)),x===i.RGBA_INTEGER&&(k===i.UNSIGNED_BYTE&&(Y=i.RGBA8UI),k===i.UNSIGNED_SHORT&&(Y=i.RGBA16UI),k===i.UNSIGNED_INT&&(Y=i.RGBA32UI),k===i.BYTE&&(Y=i.RGBA8I),k===i.SHORT&&(Y=i.RGBA16I),k===i.INT&&(Y=i.RGBA32I)),x===i.RGB&&(k===i.UNSIGNED_SHORT&&he&&(Y=he.RGB16_EXT),k===i.SHORT&&he&&(Y=he.RGB16_SNORM_EXT),k===i.UNSIGNED_INT_5_9_9_9_REV&&(Y=i.RGB9_E5),k===i.UNSIGNED_INT_10F_11F_11F_REV&&(Y=i.R11F_G11F_B10F)),x===i.RGBA){let Z=re?Is:We.getTransfer(j);k===i.FLOAT&&(Y=i.RGBA32F),k===i.HALF_FLOAT&&(Y=i.RGBA16F),k===i.UNSIGNED_BYTE&&(Y=Z===je?i.SRGB8_ALPHA8:i.RGBA8),k===i.UNSIGNED_SHORT&&he&&(Y=he.RGBA16_EXT),k===i.SHORT&&he&&(Y=he.RGBA16_SNORM_EXT),k===i.UNSIGNED_SHORT_4_4_4_4&&(Y=i.RGBA4),k===i.UNSIGNED_SHORT_5_5_5_1&&(Y=i.RGB5_A1)}return(Y===i.R16F||Y===i.R32F||Y===i.RG16F||Y===i.RG32F||Y===i.RGBA16F||Y===i.RGBA32F)&&e.get("EXT_color_buffer_float"),Y}function y(T,x){let k;return T?x===null||x===an||x===Oi?k=i.DEPTH24_STENCIL8:x===en?k=i.DEPTH32F_STENCIL8:x===us&&(k=i.DEPTH24_STENCIL8,Pe("DepthTexture: 16 bit depth attachment is not supported with stencil. Using 24-bit attachment.")):x===null||x===an||x===Oi?k=i.DEPTH_COMPONENT24:x===en?k=i.DEPTH_COMPONENT32F:x===us&&(k=i.DEPTH_COMPONENT16),k}function S(T,x){return C(T)===!0||T.isFramebufferTexture&&T.minFilter!==ct&&T.minFilter!==Wt?Math.log2(Math.max(x.width,x.height))+1:T.mipmaps.length>0?T.mipmaps.length:T.isCompressedTexture&&Array.isArray(T.image)?x.mipmaps.length:1}function F(T){let x=new WeakRef(T);n.get(T).__ref=x,p.add(x),_.register(T,x,x)}function N(T){let x=n.get(T).__ref;x!==void 0&&(p.delete(x),_.unregister(x))}function U(T){X(T.target)}function V(T){w(T.target)}function X(T){T.removeEventListener("dispose",U),N(T),q(T),T.isVideoTexture&&h.delete(T),T.isHTMLTexture&&d.delete(T)}function w(T){T.removeEventListener("dispose",V),N(T),te(T)}function G(){for(let T of p){let x=T.deref();x!==void 0&&(x.isRenderTarget===!0?w(x):X(x))}p.clear(),d.clear()}function q(T){let x=n.get(T);if(x.__webglInit===void 0)return;let k=T.source,ne=f.get(k);if(ne){let j=ne[x.__cacheKey];j.usedTimes--,j.usedTimes===0&&O(T),Object.keys(ne).length===0&&f.delete(k)}n.remove(T)}function O(T){let x=n.get(T);i.deleteTexture(x.__webglTexture);let k=T.source,ne=f.get(k);delete ne[x.__cacheKey],o.memory.textures--}function te(T){let x=n.get(T);x.__depthDisposeCallback&&x.__depthDisposeCallback();let k=T.depthTexture;if(k&&k.renderTarget===T&&X(k),T.isWebGLCubeRenderTarget)for(let j=0;j<6;j++){if(Array.isArray(x.__webglFramebuffer[j]))for(let re=0;re<x.__webglFramebuffer[j].length;re++)i.deleteFramebuffer(x.__webglFramebuffer[j][re]);else i.deleteFramebuffer(x.__webglFramebuffer[j]);x.__webglDepthbuffer&&i.deleteRenderbuffer(x.__webglDepthbuffer[j])}else{if(Array.isArray(x.__webglFramebuffer))for(let j=0;j<x.__webglFramebuffer.length;j++)i.deleteFramebuffer(x.__webglFramebuffer[j]);else i.deleteFramebuffer(x.__webglFramebuffer);if(x.__webglDepthbuffer&&i.deleteRenderbuffer(x.__webglDepthbuffer),x.__webglMultisampledFramebuffer&&i.deleteFramebuffer(x.__webglMultisampledFramebuffer),x.__webglColorRenderbuffer)for(let j=0;j<x.__webglColorRenderbuffer.length;j++)x.__webglColorRenderbuffer[j]&&i.deleteRenderbuffer(x.__webglColorRenderbuffer[j]);x.__webglDepthRenderbuffer&&i.deleteRenderbuffer(x.__webglDepthRenderbuffer)}let ne=T.textures;for(let j=0,re=ne.length;j<re;j++){let he=n.get(ne[j]);he.__webglTexture&&(i.deleteTexture(he.__webglTexture),o.memory.textures--),n.remove(ne[j])}n.remove(T)}let W=0;function Q(){W=0}function ee(){return W}function we(T){W=T}function Fe(){let T=W;return T>=s.maxTextures&&Pe("WebGLTextures: Trying to use "+(T+1)+" texture units while this GPU supports only "+s.maxTextures),W+=1,T}function J(T){let x=[];return x.push(T.wrapS),x.push(T.wrapT),x.push(T.wrapR||0),x.push(T.magFilter),x.push(T.minFilter),x.push(T.anisotropy),x.push(T.internalFormat),x.push(T.format),x.push(T.type),x.push(T.generateMipmaps),x.push(T.mipmapsAutoUpdate),x.push(T.premultiplyAlpha),x.push(T.flipY),x.push(T.unpackAlignment),x.push(T.colorSpace),x.join()}function me(T,x){let k=n.get(T);if(T.isVideoTexture&&bt(T),T.isRenderTargetTexture===!1&&T.isExternalTexture!==!0&&T.version>0&&k.__version!==T.version){let ne=T.image;if(ne===null)Pe("WebGLRenderer: Texture marked for update but no image data found.");else if(ne.complete===!1)Pe("WebGLRenderer: Texture marked for update but image is incomplete");else{xt(k,T,x);return}}else T.isExternalTexture&&(k.__webglTexture=T.sourceTexture?T.sourceTexture:null);t.bindTexture(i.TEXTURE_2D,k.__webglTexture,i.TEXTURE0+x)}function be(T,x){let k=n.get(T);if(T.isRenderTargetTexture===!1&&T.version>0&&k.__version!==T.version){xt(k,T,x);return}else T.isExternalTexture&&(k.__webglTexture=T.sourceTexture?T.sourceTexture:null);t.bindTexture(i.TEXTURE_2D_ARRAY,k.__webglTexture,i.TEXTURE0+x)}function Ce(T,x){let k=n.get(T);if(T.isRenderTargetTexture===!1&&T.version>0&&k.__version!==T.version){xt(k,T,x);return}t.bindTexture(i.TEXTURE_3D,k.__webglTexture,i.TEXTURE0+x)}function ge(T,x){let k=n.get(T);if(T.version>0&&k.__version!==T.version){$t(k,T,x);return}t.bindTexture(i.TEXTURE_CUBE_MAP,k.__webglTexture,i.TEXTURE0+x)}let Be={[Yr]:i.REPEAT,[In]:i.CLAMP_TO_EDGE,[Zr]:i.MIRRORED_REPEAT},gt={[ct]:i.NEAREST,[Hh]:i.NEAREST_MIPMAP_NEAREST,[$s]:i.NEAREST_MIPMAP_LINEAR,[Wt]:i.LINEAR,[To]:i.LINEAR_MIPMAP_NEAREST,[Kn]:i.LINEAR_MIPMAP_LINEAR},Ie={[$h]:i.NEVER,[tc]:i.ALWAYS,[Yh]:i.LESS,[Ql]:i.LEQUAL,[Zh]:i.EQUAL,[ec]:i.GEQUAL,[Jh]:i.GREATER,[Kh]:i.NOTEQUAL};function Qe(T,x){if(x.type===en&&e.has("OES_texture_float_linear")===!1&&(x.magFilter===Wt||x.magFilter===To||x.magFilter===$s||x.magFilter===Kn||x.minFilter===Wt||x.minFilter===To||x.minFilter===$s||x.minFilter===Kn)&&Pe("WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(T,i.TEXTURE_WRAP_S,Be[x.wrapS]),i.texParameteri(T,i.TEXTURE_WRAP_T,Be[x.wrapT]),(T===i.TEXTURE_3D||T===i.TEXTURE_2D_ARRAY)&&i.texParameteri(T,i.TEXTURE_WRAP_R,Be[x.wrapR]),i.texParameteri(T,i.TEXTURE_MAG_FILTER,gt[x.magFilter]),i.texParameteri(T,i.TEXTURE_MIN_FILTER,gt[x.minFilter]),x.compareFunction&&(i.texParameteri(T,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(T,i.TEXTURE_COMPARE_FUNC,Ie[x.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(x.magFilter===ct||x.minFilter!==$s&&x.minFilter!==Kn||x.type===en&&e.has("OES_texture_float_linear")===!1)return;if(x.anisotropy>1||n.get(x).__currentAnisotropy){let k=e.get("EXT_texture_filter_anisotropic");i.texParameterf(T,k.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(x.anisotropy,s.getMaxAnisotropy())),n.get(x).__currentAnisotropy=x.anisotropy}}}function tt(T,x){let k=!1;T.__webglInit===void 0&&(T.__webglInit=!0,x.addEventListener("dispose",U),F(x));let ne=x.source,j=f.get(ne);j===void 0&&(j={},f.set(ne,j));let re=J(x);if(re!==T.__cacheKey){j[re]===void 0&&(j[re]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,k=!0),j[re].usedTimes++;let he=j[T.__cacheKey];he!==void 0&&(j[T.__cacheKey].usedTimes--,he.usedTimes===0&&O(x)),T.__cacheKey=re,T.__webglTexture=j[re].texture}return k}function qe(T,x,k){return Math.floor(Math.floor(T/k)/x)}function Lt(T,x,k,ne){let re=T.updateRanges;if(re.length===0)t.texSubImage2D(i.TEXTURE_2D,0,0,0,x.width,x.height,k,ne,x.data);else{re.sort((P,K)=>P.start-K.start);let he=0;for(let P=1;P<re.length;P++){let K=re[he],$=re[P],le=K.start+K.count,se=qe($.start,x.width,4),oe=qe(K.start,x.width,4);$.start<=le+1&&se===oe&&qe($.start+$.count-1,x.width,4)===se?K.count=Math.max(K.count,$.start+$.count-K.start):(++he,re[he]=$)}re.length=he+1;let Y=t.getParameter(i.UNPACK_ROW_LENGTH),Z=t.getParameter(i.UNPACK_SKIP_PIXELS),ae=t.getParameter(i.UNPACK_SKIP_ROWS);t.pixelStorei(i.UNPACK_ROW_LENGTH,x.width);for(let P=0,K=re.length;P<K;P++){let $=re[P],le=Math.floor($.start/4),se=Math.ceil($.count/4),oe=le%x.width,Ee=Math.floor(le/x.width),Ve=se,ie=1;t.pixelStorei(i.UNPACK_SKIP_PIXELS,oe),t.pixelStorei(i.UNPACK_SKIP_ROWS,Ee),t.texSubImage2D(i.TEXTURE_2D,0,oe,Ee,Ve,ie,k,ne,x.data)}T.clearUpdateRanges(),t.pixelStorei(i.UNPACK_ROW_LENGTH,Y),t.pixelStorei(i.UNPACK_SKIP_PIXELS,Z),t.pixelStorei(i.UNPACK_SKIP_ROWS,ae)}}function xt(T,x,k){let ne=i.TEXTURE_2D;(x.isDataArrayTexture||x.isCompressedArrayTexture)&&(ne=i.TEXTURE_2D_ARRAY),x.isData3DTexture&&(ne=i.TEXTURE_3D);let j=tt(T,x),re=x.source;t.bindTexture(ne,T.__webglTexture,i.TEXTURE0+k);let he=n.get(re);if(re.version!==he.__version||j===!0){if(t.activeTexture(i.TEXTURE0+k),(typeof ImageBitmap<"u"&&x.image instanceof ImageBitmap)===!1){let ie=We.getPrimaries(We.workingColorSpace),Ae=x.colorSpace===Qn?null:We.getPrimaries(x.colorSpace),ke=x.colorSpace===Qn||ie===Ae?i.NONE:i.BROWSER_DEFAULT_WEBGL;t.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,x.flipY),t.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,x.premultiplyAlpha),t.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,ke)}t.pixelStorei(i.UNPACK_ALIGNMENT,x.unpackAlignment);let Z=M(x.image,!1,s.maxTextureSize);Z=Re(x,Z);let ae=r.convert(x.format,x.colorSpace),P=r.convert(x.type),K=A(x.internalFormat,ae,P,x.normalized,x.colorSpace,x.isVideoTexture);Qe(ne,x);let $,le=x.mipmaps,se=x.isVideoTexture!==!0,oe=he.__version===void 0||j===!0,Ee=re.dataReady,Ve=S(x,Z);if(x.isDepthTexture)K=y(x.format===jn,x.type),oe&&(se?t.texStorage2D(i.TEXTURE_2D,1,K,Z.width,Z.height):t.texImage2D(i.TEXTURE_2D,0,K,Z.width,Z.height,0,ae,P,null));else if(x.isDataTexture)if(le.length>0){se&&oe&&t.texStorage2D(i.TEXTURE_2D,Ve,K,le[0].width,le[0].height);for(let ie=0,Ae=le.length;ie<Ae;ie++)$=le[ie],se?Ee&&t.texSubImage2D(i.TEXTURE_2D,ie,0,0,$.width,$.height,ae,P,$.data):t.texImage2D(i.TEXTURE_2D,ie,K,$.width,$.height,0,ae,P,$.data);x.generateMipmaps=!1}else se?(oe&&t.texStorage2D(i.TEXTURE_2D,Ve,K,Z.width,Z.height),Ee&&Lt(x,Z,ae,P)):t.texImage2D(i.TEXTURE_2D,0,K,Z.width,Z.height,0,ae,P,Z.data);else if(x.isCompressedTexture)if(x.isCompressedArrayTexture){se&&oe&&t.texStorage3D(i.TEXTURE_2D_ARRAY,Ve,K,le[0].width,le[0].height,Z.depth);for(let ie=0,Ae=le.length;ie<Ae;ie++)if($=le[ie],x.format!==Vt)if(ae!==null)if(se){if(Ee)if(x.layerUpdates.size>0){let ke=ac($.width,$.height,x.format,x.type);for(let fe of x.layerUpdates){let et=$.data.subarray(fe*ke/$.data.BYTES_PER_ELEMENT,(fe+1)*ke/$.data.BYTES_PER_ELEMENT);t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ie,0,0,fe,$.width,$.height,1,ae,et)}}else t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ie,0,0,0,$.width,$.height,Z.depth,ae,$.data)}else t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,ie,K,$.width,$.height,Z.depth,0,$.data,0,0);else Pe("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()");else se?Ee&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,ie,0,0,0,$.width,$.height,Z.depth,ae,P,$.data):t.texImage3D(i.TEXTURE_2D_ARRAY,ie,K,$.width,$.height,Z.depth,0,ae,P,$.data);x.layerUpdates.size>0&&x.clearLayerUpdates()}else{se&&oe&&t.texStorage2D(i.TEXTURE_2D,Ve,K,le[0].width,le[0].height);for(let ie=0,Ae=le.length;ie<Ae;ie++)$=le[ie],x.format!==Vt?ae!==null?se?Ee&&t.compressedTexSubImage2D(i.TEXTURE_2D,ie,0,0,$.width,$.height,ae,$.data):t.compressedTexImage2D(i.TEXTURE_2D,ie,K,$.width,$.height,0,$.data):Pe("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):se?Ee&&t.texSubImage2D(i.TEXTURE_2D,ie,0,0,$.width,$.height,ae,P,$.data):t.texImage2D(i.TEXTURE_2D,ie,K,$.width,$.height,0,ae,P,$.data)}else if(x.isDataArrayTexture)if(se){if(oe&&t.texStorage3D(i.TEXTURE_2D_ARRAY,Ve,K,Z.width,Z.height,Z.depth),Ee)if(x.layerUpdates.size>0){let ie=ac(Z.width,Z.height,x.format,x.type);for(let Ae of x.layerUpdates){let ke=Z.data.subarray(Ae*ie/Z.data.BYTES_PER_ELEMENT,(Ae+1)*ie/Z.data.BYTES_PER_ELEMENT);t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,Ae,Z.width,Z.height,1,ae,P,ke)}x.clearLayerUpdates()}else t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,Z.width,Z.height,Z.depth,ae,P,Z.data)}else t.texImage3D(i.TEXTURE_2D_ARRAY,0,K,Z.width,Z.height,Z.depth,0,ae,P,Z.data);else if(x.isData3DTexture)se?(oe&&t.texStorage3D(i.TEXTURE_3D,Ve,K,Z.width,Z.height,Z.depth),Ee&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,Z.width,Z.height,Z.depth,ae,P,Z.data)):t.texImage3D(i.TEXTURE_3D,0,K,Z.width,Z.height,Z.depth,0,ae,P,Z.data);else if(x.isFramebufferTexture){if(oe)if(se)t.texStorage2D(i.TEXTURE_2D,Ve,K,Z.width,Z.height);else{let ie=Z.width,Ae=Z.height;for(let ke=0;ke<Ve;ke++)t.texImage2D(i.TEXTURE_2D,ke,K,ie,Ae,0,ae,P,null),ie>>=1,Ae>>=1}}else if(x.isHTMLTexture){if("texElementImage2D"in i){let ie=i.canvas;if(ie.hasAttribute("layoutsubtree")||ie.setAttribute("layoutsubtree","true"),Z.parentNode!==ie){ie.appendChild(Z),d.add(x),ie.onpaint=Ae=>{let ke=Ae.changedElements;for(let fe of d)ke.includes(fe.image)&&(fe.needsUpdate=!0)},ie.requestPaint();return}if(i.texElementImage2D.length===3)i.texElementImage2D(i.TEXTURE_2D,i.RGBA8,Z);else{let ke=i.RGBA,fe=i.RGBA,et=i.UNSIGNED_BYTE;i.texElementImage2D(i.TEXTURE_2D,0,ke,fe,et,Z)}i.texParameteri(i.TEXTURE_2D,i.TEXTURE_MIN_FILTER,i.LINEAR),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_S,i.CLAMP_TO_EDGE),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_T,i.CLAMP_TO_EDGE)}}else if(le.length>0){if(se&&oe){let ie=De(le[0]);t.texStorage2D(i.TEXTURE_2D,Ve,K,ie.width,ie.height)}for(let ie=0,Ae=le.length;ie<Ae;ie++)$=le[ie],se?Ee&&t.texSubImage2D(i.TEXTURE_2D,ie,0,0,ae,P,$):t.texImage2D(i.TEXTURE_2D,ie,K,ae,P,$);x.generateMipmaps=!1}else if(se){if(oe){let ie=De(Z);t.texStorage2D(i.TEXTURE_2D,Ve,K,ie.width,ie.height)}Ee&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,ae,P,Z)}else t.texImage2D(i.TEXTURE_2D,0,K,ae,P,Z);C(x)&&x.mipmapsAutoUpdate===!0&&E(ne),he.__version=re.version,x.onUpdate&&x.onUpdate(x)}T.__version=x.version}function $t(T,x,k){if(x.image.length!==6)return;let ne=tt(T,x),j=x.source;t.bindTexture(i.TEXTURE_CUBE_MAP,T.__webglTexture,i.TEXTURE0+k);let re=n.get(j);if(j.version!==re.__version||ne===!0){t.activeTexture(i.TEXTURE0+k);let he=We.getPrimaries(We.workingColorSpace),Y=x.colorSpace===Qn?null:We.getPrimaries(x.colorSpace),Z=x.colorSpace===Qn||he===Y?i.NONE:i.BROWSER_DEFAULT_WEBGL;t.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,x.flipY),t.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,x.premultiplyAlpha),t.pixelStorei(i.UNPACK_ALIGNMENT,x.unpackAlignment),t.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Z);let ae=x.isCompressedTexture||x.image[0].isCompressedTexture,P=x.image[0]&&x.image[0].isDataTexture,K=[];for(let fe=0;fe<6;fe++)!ae&&!P?K[fe]=M(x.image[fe],!0,s.maxCubemapSize):K[fe]=P?x.image[fe].image:x.image[fe],K[fe]=Re(x,K[fe]);let $=K[0],le=r.convert(x.format,x.colorSpace),se=r.convert(x.type),oe=A(x.internalFormat,le,se,x.normalized,x.colorSpace),Ee=x.isVideoTexture!==!0,Ve=re.__version===void 0||ne===!0,ie=j.dataReady,Ae=S(x,$);Qe(i.TEXTURE_CUBE_MAP,x);let ke;if(x.isDepthTexture){if(oe=y(x.format===jn,x.type),Ve)if(Ee)t.texStorage2D(i.TEXTURE_CUBE_MAP,1,oe,$.width,$.height);else for(let fe=0;fe<6;fe++)t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,0,oe,$.width,$.height,0,le,se,null)}else if(ae){Ee&&Ve&&t.texStorage2D(i.TEXTURE_CUBE_MAP,Ae,oe,$.width,$.height);for(let fe=0;fe<6;fe++){ke=K[fe].mipmaps;for(let et=0;et<ke.length;et++){let Et=ke[et];x.format!==Vt?le!==null?Ee?ie&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et,0,0,Et.width,Et.height,le,Et.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et,oe,Et.width,Et.height,0,Et.data):Pe("WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):Ee?ie&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et,0,0,Et.width,Et.height,le,se,Et.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et,oe,Et.width,Et.height,0,le,se,Et.data)}}}else{if(ke=x.mipmaps,Ee&&Ve){ke.length>0&&Ae++;let fe=De(K[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,Ae,oe,fe.width,fe.height)}for(let fe=0;fe<6;fe++)if(P){Ee?ie&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,0,0,0,K[fe].width,K[fe].height,le,se,K[fe].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,0,oe,K[fe].width,K[fe].height,0,le,se,K[fe].data);for(let et=0;et<ke.length;et++){let ni=ke[et].image[fe].image;Ee?ie&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et+1,0,0,ni.width,ni.height,le,se,ni.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et+1,oe,ni.width,ni.height,0,le,se,ni.data)}}else{Ee?ie&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,0,0,0,le,se,K[fe]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,0,oe,le,se,K[fe]);for(let et=0;et<ke.length;et++){let Et=ke[et];Ee?ie&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et+1,0,0,le,se,Et.image[fe]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+fe,et+1,oe,le,se,Et.image[fe])}}}C(x)&&x.mipmapsAutoUpdate===!0&&E(i.TEXTURE_CUBE_MAP),re.__version=j.version,x.onUpdate&&x.onUpdate(x)}T.__version=x.version}function ut(T,x,k,ne,j,re){let he=r.convert(k.format,k.colorSpace),Y=r.convert(k.type),Z=A(k.internalFormat,he,Y,k.normalized,k.colorSpace),ae=n.get(x),P=n.get(k);if(P.__renderTarget=x,!ae.__hasExternalTextures){let K=Math.max(1,x.width>>re),$=Math.max(1,x.height>>re);j===i.TEXTURE_3D||j===i.TEXTURE_2D_ARRAY?t.texImage3D(j,re,Z,K,$,x.depth,0,he,Y,null):t.texImage2D(j,re,Z,K,$,0,he,Y,null)}t.bindFramebuffer(i.FRAMEBUFFER,T),de(x)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ne,j,P.__webglTexture,0,lt(x)):(j===i.TEXTURE_2D||j>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&j<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,ne,j,P.__webglTexture,re),t.bindFramebuffer(i.FRAMEBUFFER,null)}function Rn(T,x,k){if(i.bindRenderbuffer(i.RENDERBUFFER,T),x.depthBuffer){let ne=x.depthTexture,j=ne&&ne.isDepthTexture?ne.type:null,re=y(x.stencilBuffer,j),he=x.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;de(x)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,lt(x),re,x.width,x.height):k?i.renderbufferStorageMultisample(i.RENDERBUFFER,lt(x),re,x.width,x.height):i.renderbufferStorage(i.RENDERBUFFER,re,x.width,x.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,he,i.RENDERBUFFER,T)}else{let ne=x.textures;for(let j=0;j<ne.length;j++){let re=ne[j],he=r.convert(re.format,re.colorSpace),Y=r.convert(re.type),Z=A(re.internalFormat,he,Y,re.normalized,re.colorSpace);de(x)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,lt(x),Z,x.width,x.height):k?i.renderbufferStorageMultisample(i.RENDERBUFFER,lt(x),Z,x.width,x.height):i.renderbufferStorage(i.RENDERBUFFER,Z,x.width,x.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function Tt(T,x,k){let ne=x.isWebGLCubeRenderTarget===!0;if(t.bindFramebuffer(i.FRAMEBUFFER,T),!(x.depthTexture&&x.depthTexture.isDepthTexture))throw new Error("THREE.WebGLTextures: renderTarget.depthTexture must be an instance of THREE.DepthTexture.");let j=n.get(x.depthTexture);j.__renderTarget=x;let re=ne?x.depthTexture.image[0]:x.depthTexture.image;(!j.__webglTexture||re.width!==x.width||re.height!==x.height)&&(re.width=x.width,re.height=x.height,x.depthTexture.needsUpdate=!0),ne?ge(x.depthTexture,0):me(x.depthTexture,0);let he=j.__webglTexture,Y=lt(x),Z=ne?i.TEXTURE_CUBE_MAP_POSITIVE_X+k:i.TEXTURE_2D,ae=x.depthTexture.format===jn?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;if(x.depthTexture.format===Yn)de(x)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ae,Z,he,0,Y):i.framebufferTexture2D(i.FRAMEBUFFER,ae,Z,he,0);else if(x.depthTexture.format===jn)de(x)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ae,Z,he,0,Y):i.framebufferTexture2D(i.FRAMEBUFFER,ae,Z,he,0);else throw new Error("THREE.WebGLTextures: Unknown depthTexture format.")}function hn(T){let x=n.get(T),k=T.isWebGLCubeRenderTarget===!0;if(x.__boundDepthTexture!==T.depthTexture){let ne=T.depthTexture;if(x.__depthDisposeCallback&&x.__depthDisposeCallback(),ne){let j=()=>{delete x.__boundDepthTexture,delete x.__depthDisposeCallback,ne.removeEventListener("dispose",j)};ne.addEventListener("dispose",j),x.__depthDisposeCallback=j}x.__boundDepthTexture=ne}if(T.depthTexture&&!x.__autoAllocateDepthBuffer)if(k)for(let ne=0;ne<6;ne++)Tt(x.__webglFramebuffer[ne],T,ne);else T.texture.mipmaps.length>0?Tt(x.__webglFramebuffer[0],T,0):Tt(x.__webglFramebuffer,T,0);else if(k){x.__webglDepthbuffer=[];for(let ne=0;ne<6;ne++)if(t.bindFramebuffer(i.FRAMEBUFFER,x.__webglFramebuffer[ne]),x.__webglDepthbuffer[ne]===void 0)x.__webglDepthbuffer[ne]=i.createRenderbuffer(),Rn(x.__webglDepthbuffer[ne],T,!1);else{let j=T.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,re=x.__webglDepthbuffer[ne];i.bindRenderbuffer(i.RENDERBUFFER,re),i.framebufferRenderbuffer(i.FRAMEBUFFER,j,i.RENDERBUFFER,re)}}else if(T.texture.mipmaps.length>0?t.bindFramebuffer(i.FRAMEBUFFER,x.__webglFramebuffer[0]):t.bindFramebuffer(i.FRAMEBUFFER,x.__webglFramebuffer),x.__webglDepthbuffer===void 0)x.__webglDepthbuffer=i.createRenderbuffer(),Rn(x.__webglDepthbuffer,T,!1);else{let j=T.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,re=x.__webglDepthbuffer;i.bindRenderbuffer(i.RENDERBUFFER,re),i.framebufferRenderbuffer(i.FRAMEBUFFER,j,i.RENDERBUFFER,re)}t.bindFramebuffer(i.FRAMEBUFFER,null)}function un(T,x,k){let ne=n.get(T);x!==void 0&&ut(ne.__webglFramebuffer,T,T.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),k!==void 0&&hn(T)}function dn(T){let x=T.texture,k=n.get(T),ne=n.get(x);T.addEventListener("dispose",V),F(T);let j=T.textures,re=T.isWebGLCubeRenderTarget===!0,he=j.length>1;if(he||(ne.__webglTexture===void 0&&(ne.__webglTexture=i.createTexture()),ne.__version=x.version,o.memory.textures++),re){k.__webglFramebuffer=[];for(let Y=0;Y<6;Y++)if(x.mipmaps.length>0){k.__webglFramebuffer[Y]=[];for(let Z=0;Z<x.mipmaps.length;Z++)k.__webglFramebuffer[Y][Z]=i.createFramebuffer()}else k.__webglFramebuffer[Y]=i.createFramebuffer()}else{if(x.mipmaps.length>0){k.__webglFramebuffer=[];for(let Y=0;Y<x.mipmaps.length;Y++)k.__webglFramebuffer[Y]=i.createFramebuffer()}else k.__webglFramebuffer=i.createFramebuffer();if(he)for(let Y=0,Z=j.length;Y<Z;Y++){let ae=n.get(j[Y]);ae.__webglTexture===void 0&&(ae.__webglTexture=i.createTexture(),o.memory.textures++)}if(T.samples>0&&de(T)===!1){k.__webglMultisampledFramebuffer=i.createFramebuffer(),k.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,k.__webglMultisampledFramebuffer);for(let Y=0;Y<j.length;Y++){let Z=j[Y];k.__webglColorRenderbuffer[Y]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,k.__webglColorRenderbuffer[Y]);let ae=r.convert(Z.format,Z.colorSpace),P=r.convert(Z.type),K=A(Z.internalFormat,ae,P,Z.normalized,Z.colorSpace,T.isXRRenderTarget===!0),$=lt(T);i.renderbufferStorageMultisample(i.RENDERBUFFER,$,K,T.width,T.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Y,i.RENDERBUFFER,k.__webglColorRenderbuffer[Y])}i.bindRenderbuffer(i.RENDERBUFFER,null),T.depthBuffer&&(k.__webglDepthRenderbuffer=i.createRenderbuffer(),Rn(k.__webglDepthRenderbuffer,T,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(re){t.bindTexture(i.TEXTURE_CUBE_MAP,ne.__webglTexture),Qe(i.TEXTURE_CUBE_MAP,x);for(let Y=0;Y<6;Y++)if(x.mipmaps.length>0)for(let Z=0;Z<x.mipmaps.length;Z++)ut(k.__webglFramebuffer[Y][Z],T,x,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Y,Z);else ut(k.__webglFramebuffer[Y],T,x,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Y,0);C(x)?E(i.TEXTURE_CUBE_MAP):x.mipmaps.length>0&&i.texParameteri(i.TEXTURE_CUBE_MAP,i.TEXTURE_MAX_LEVEL,x.mipmaps.length-1),t.unbindTexture()}else if(he){for(let Y=0,Z=j.length;Y<Z;Y++){let ae=j[Y],P=n.get(ae),K=i.TEXTURE_2D;(T.isWebGL3DRenderTarget||T.isWebGLArrayRenderTarget)&&(K=T.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(K,P.__webglTexture),Qe(K,ae),ut(k.__webglFramebuffer,T,ae,i.COLOR_ATTACHMENT0+Y,K,0),C(ae)&&E(K)}t.unbindTexture()}else{let Y=i.TEXTURE_2D;if((T.isWebGL3DRenderTarget||T.isWebGLArrayRenderTarget)&&(Y=T.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(Y,ne.__webglTexture),Qe(Y,x),x.mipmaps.length>0)for(let Z=0;Z<x.mipmaps.length;Z++)ut(k.__webglFramebuffer[Z],T,x,i.COLOR_ATTACHMENT0,Y,Z);else ut(k.__webglFramebuffer,T,x,i.COLOR_ATTACHMENT0,Y,0);C(x)?E(Y):x.mipmaps.length>0&&i.texParameteri(Y,i.TEXTURE_MAX_LEVEL,x.mipmaps.length-1),t.unbindTexture()}T.depthBuffer&&hn(T)}function D(T){let x=T.textures;for(let k=0,ne=x.length;k<ne;k++){let j=x[k];if(C(j)&&j.mipmapsAutoUpdate===!0){let re=R(T),he=n.get(j).__webglTexture;t.bindTexture(re,he),E(re),t.unbindTexture()}}}let fn=[];function at(T){if(T.samples>0){if(de(T)===!1){let x=T.textures,k=T.width,ne=T.height,j=i.COLOR_BUFFER_BIT,re=T.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,he=n.get(T),Y=x.length>1;if(Y)for(let ae=0;ae<x.length;ae++)t.bindFramebuffer(i.FRAMEBUFFER,he.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ae,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,he.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ae,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,he.__webglMultisampledFramebuffer),T.texture.mipmaps.length>0?t.bindFramebuffer(i.DRAW_FRAMEBUFFER,he.__webglFramebuffer[0]):t.bindFramebuffer(i.DRAW_FRAMEBUFFER,he.__webglFramebuffer);for(let ae=0;ae<x.length;ae++){if(T.resolveDepthBuffer&&(T.depthBuffer&&(j|=i.DEPTH_BUFFER_BIT),T.stencilBuffer&&T.resolveStencilBuffer&&(j|=i.STENCIL_BUFFER_BIT)),Y){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,he.__webglColorRenderbuffer[ae]);let P=n.get(x[ae]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,P,0)}i.blitFramebuffer(0,0,k,ne,0,0,k,ne,j,i.NEAREST),l===!0&&(fn.length=0,fn.push(i.COLOR_ATTACHMENT0+ae),T.depthBuffer&&T.storeMultisampledDepthBuffer===!1&&fn.push(re),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,fn))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),Y)for(let ae=0;ae<x.length;ae++){t.bindFramebuffer(i.FRAMEBUFFER,he.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ae,i.RENDERBUFFER,he.__webglColorRenderbuffer[ae]);let P=n.get(x[ae]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,he.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ae,i.TEXTURE_2D,P,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,he.__webglMultisampledFramebuffer)}else if(T.depthBuffer&&T.storeMultisampledDepthBuffer===!1&&l){let x=T.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[x])}}}function lt(T){return Math.min(s.maxSamples,T.samples)}function de(T){let x=n.get(T);return T.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&x.__useRenderToTexture!==!1}function bt(T){let x=o.render.frame;h.get(T)!==x&&(h.set(T,x),T.update())}function Re(T,x){let k=T.colorSpace,ne=T.format,j=T.type;return T.isCompressedTexture===!0||T.isVideoTexture===!0||k!==Ri&&k!==Qn&&(We.getTransfer(k)===je?(ne!==Vt||j!==Dt)&&Pe("WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):Le("WebGLTextures: Unsupported texture color space:",k)),x}function De(T){return typeof HTMLImageElement<"u"&&T instanceof HTMLImageElement?(c.width=T.naturalWidth||T.width,c.height=T.naturalHeight||T.height):typeof VideoFrame<"u"&&T instanceof VideoFrame?(c.width=T.displayWidth,c.height=T.displayHeight):(c.width=T.width,c.height=T.height),c}this.allocateTextureUnit=Fe,this.resetTextureUnits=Q,this.getTextureUnits=ee,this.setTextureUnits=we,this.setTexture2D=me,this.setTexture2DArray=be,this.setTexture3D=Ce,this.setTextureCube=ge,this.rebindTextures=un,this.setupRenderTarget=dn,this.updateRenderTargetMipmap=D,this.updateMultisampleRenderTarget=at,this.setupDepthRenderbuffer=hn,this.setupFrameBufferTexture=ut,this.useMultisampledRTT=de,this.dispose=G}function ny(i,e){function t(n,s=Qn){let r,o=We.getTransfer(s);if(n===Dt)return i.UNSIGNED_BYTE;if(n===Ao)return i.UNSIGNED_SHORT_4_4_4_4;if(n===Co)return i.UNSIGNED_SHORT_5_5_5_1;if(n===Yl)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===Zl)return i.UNSIGNED_INT_10F_11F_11F_REV;if(n===ql)return i.BYTE;if(n===$l)return i.SHORT;if(n===us)return i.UNSIGNED_SHORT;if(n===Eo)return i.INT;if(n===an)return i.UNSIGNED_INT;if(n===en)return i.FLOAT;if(n===wn)return i.HALF_FLOAT;if(n===Jl)return i.ALPHA;if(n===Kl)return i.RGB;if(n===Vt)return i.RGBA;if(n===Yn)return i.DEPTH_COMPONENT;if(n===jn)return i.DEPTH_STENCIL;if(n===Ro)return i.RED;if(n===Po)return i.RED_INTEGER;if(n===yi)return i.RG;if(n===Io)return i.RG_INTEGER;if(n===Lo)return i.RGBA_INTEGER;if(n===Ys||n===Zs||n===Js||n===Ks)if(o===je)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===Ys)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===Zs)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Js)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===Ks)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===Ys)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===Zs)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Js)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===Ks)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===No||n===Do||n===Uo||n===Fo)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===No)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===Do)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===Uo)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===Fo)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===Oo||n===Bo||n===ko||n===zo||n===Vo||n===js||n===Go)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===Oo||n===Bo)return o===je?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===ko)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC;if(n===zo)return r.COMPRESSED_R11_EAC;if(n===Vo)return r.COMPRESSED_SIGNED_R11_EAC;if(n===js)return r.COMPRESSED_RG11_EAC;if(n===Go)return r.COMPRESSED_SIGNED_RG11_EAC}else return null;if(n===Ho||n===Wo||n===Xo||n===qo||n===$o||n===Yo||n===Zo||n===Jo||n===Ko||n===jo||n===Qo||n===ea||n===ta||n===na)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===Ho)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===Wo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===Xo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===qo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===$o)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===Yo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===Zo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===Jo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===Ko)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===jo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===Qo)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===ea)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===ta)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===na)return o===je?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===ia||n===sa||n===ra)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===ia)return o===je?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===sa)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===ra)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===oa||n===aa||n===Qs||n===la)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===oa)return r.COMPRESSED_RED_RGTC1_EXT;if(n===aa)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===Qs)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===la)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===Oi?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}var iy=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,sy=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`,gc=class{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t){if(this.texture===null){let n=new Gs(e.texture);(e.depthNear!==t.depthNear||e.depthFar!==t.depthFar)&&(this.depthNear=e.depthNear,this.depthFar=e.depthFar),this.texture=n}}getMesh(e){if(this.texture!==null&&this.mesh===null){let t=e.cameras[0].viewport,n=new Pt({vertexShader:iy,fragmentShader:sy,uniforms:{depthColor:{value:this.texture},depthWidth:{value:t.z},depthHeight:{value:t.w}}});this.mesh=new Qt(new Ni(20,20),n)}return this.mesh}reset(){this.texture=null,this.mesh=null}getDepthTexture(){return this.texture}},yc=class extends Ln{constructor(e,t){super();let n=this,s=null,r=1,o=null,a="local-floor",l=1,c=null,h=null,d=null,u=null,f=null,p=null,_=typeof XRWebGLBinding<"u",g=new gc,m={},M=t.getContextAttributes(),C=null,E=null,R=[],A=[],y=new ze,S=null,F=null,N=new kt;N.viewport=new it;let U=new kt;U.viewport=new it;let V=[N,U],X=new Mo,w=null,G=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(J){let me=R[J];return me===void 0&&(me=new rs,R[J]=me),me.getTargetRaySpace()},this.getControllerGrip=function(J){let me=R[J];return me===void 0&&(me=new rs,R[J]=me),me.getGripSpace()},this.getHand=function(J){let me=R[J];return me===void 0&&(me=new rs,R[J]=me),me.getHandSpace()};function q(J){let me=A.indexOf(J.inputSource);if(me===-1)return;let be=R[me];be!==void 0&&(be.update(J.inputSource,J.frame,c||o),be.dispatchEvent({type:J.type,data:J.inputSource}))}function O(){s.removeEventListener("select",q),s.removeEventListener("selectstart",q),s.removeEventListener("selectend",q),s.removeEventListener("squeeze",q),s.removeEventListener("squeezestart",q),s.removeEventListener("squeezeend",q),s.removeEventListener("end",O),s.removeEventListener("inputsourceschange",te);for(let J=0;J<R.length;J++){let me=A[J];me!==null&&(A[J]=null,R[J].disconnect(me))}w=null,G=null,g.reset();for(let J in m)delete m[J];if(e.setRenderTarget(C),f=null,u=null,d=null,s=null,E=null,Fe.stop(),n.isPresenting=!1,e.setPixelRatio(S),e.setSize(y.width,y.height,!1),F!==null){let J=F.camera;J.fov=F.fov,J.zoom=F.zoom,J.updateProjectionMatrix(),F=null}n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(J){r=J,n.isPresenting===!0&&Pe("WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(J){a=J,n.isPresenting===!0&&Pe("WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(J){c=J},this.getBaseLayer=function(){return u!==null?u:f},this.getBinding=function(){return d===null&&_&&(d=new XRWebGLBinding(s,t)),d},this.getFrame=function(){return p},this.getSession=function(){return s},this.setSession=async function(J){if(s=J,s!==null){if(C=e.getRenderTarget(),s.addEventListener("select",q),s.addEventListener("selectstart",q),s.addEventListener("selectend",q),s.addEventListener("squeeze",q),s.addEventListener("squeezestart",q),s.addEventListener("squeezeend",q),s.addEventListener("end",O),s.addEventListener("inputsourceschange",te),M.xrCompatible!==!0&&await t.makeXRCompatible(),S=e.getPixelRatio(),e.getSize(y),_&&"createProjectionLayer"in XRWebGLBinding.prototype){let be=null,Ce=null,ge=null;M.depth&&(ge=M.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,be=M.stencil?jn:Yn,Ce=M.stencil?Oi:an);let Be={colorFormat:t.RGBA8,depthFormat:ge,scaleFactor:r};d=this.getBinding(),u=d.createProjectionLayer(Be),s.updateRenderState({layers:[u]}),e.setPixelRatio(1),e.setSize(u.textureWidth,u.textureHeight,!1),E=new Rt(u.textureWidth,u.textureHeight,{format:Vt,type:Dt,depthTexture:new Sn(u.textureWidth,u.textureHeight,Ce,void 0,void 0,void 0,void 0,void 0,void 0,be),stencilBuffer:M.stencil,colorSpace:e.outputColorSpace,samples:M.antialias?4:0,resolveDepthBuffer:u.ignoreDepthValues===!1,resolveStencilBuffer:u.ignoreDepthValues===!1,storeMultisampledDepthBuffer:u.ignoreDepthValues===!1,storeMultisampledStencilBuffer:u.ignoreDepthValues===!1})}else{let be={antialias:M.antialias,alpha:!0,depth:M.depth,stencil:M.stencil,framebufferScaleFactor:r};f=new XRWebGLLayer(s,t,be),s.updateRenderState({baseLayer:f}),e.setPixelRatio(1),e.setSize(f.framebufferWidth,f.framebufferHeight,!1),E=new Rt(f.framebufferWidth,f.framebufferHeight,{format:Vt,type:Dt,colorSpace:e.outputColorSpace,stencilBuffer:M.stencil,resolveDepthBuffer:f.ignoreDepthValues===!1,resolveStencilBuffer:f.ignoreDepthValues===!1,storeMultisampledDepthBuffer:f.ignoreDepthValues===!1,storeMultisampledStencilBuffer:f.ignoreDepthValues===!1})}E.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),Fe.setContext(s),Fe.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode},this.getDepthTexture=function(){return g.getDepthTexture()};function te(J){for(let me=0;me<J.removed.length;me++){let be=J.removed[me],Ce=A.indexOf(be);Ce>=0&&(A[Ce]=null,R[Ce].disconnect(be))}for(let me=0;me<J.added.length;me++){let be=J.added[me],Ce=A.indexOf(be);if(Ce===-1){for(let Be=0;Be<R.length;Be++)if(Be>=A.length){A.push(be),Ce=Be;break}else if(A[Be]===null){A[Be]=be,Ce=Be;break}if(Ce===-1)break}let ge=R[Ce];ge&&ge.connect(be)}}function W(J,me){me===null?J.matrixWorld.copy(J.matrix):J.matrixWorld.multiplyMatrices(me.matrixWorld,J.matrix),J.matrixWorldInverse.copy(J.matrixWorld).invert()}this.updateCamera=function(J){if(s===null)return;let me=J.near,be=J.far;g.texture!==null&&(g.depthNear>0&&(me=g.depthNear),g.depthFar>0&&(be=g.depthFar)),X.near=U.near=N.near=me,X.far=U.far=N.far=be,(w!==X.near||G!==X.far)&&(s.updateRenderState({depthNear:X.near,depthFar:X.far}),w=X.near,G=X.far),X.layers.mask=J.layers.mask|6,N.layers.mask=X.layers.mask&-5,U.layers.mask=X.layers.mask&-3;let Ce=J.parent,ge=X.cameras;W(X,Ce);for(let Be=0;Be<ge.length;Be++)W(ge[Be],Ce);X.projectionMatrix.copy(N.projectionMatrix),X.projectionMatrixInverse.copy(N.projectionMatrixInverse),F===null&&J.isPerspectiveCamera&&(F={camera:J,fov:J.fov,zoom:J.zoom}),Q(J,X,Ce)};function Q(J,me,be){be===null?J.matrix.copy(me.matrixWorld):(J.matrix.copy(be.matrixWorld),J.matrix.invert(),J.matrix.multiply(me.matrixWorld)),J.matrix.decompose(J.position,J.quaternion,J.scale),J.updateMatrixWorld(!0),J.projectionMatrix.copy(me.projectionMatrix),J.projectionMatrixInverse.copy(me.projectionMatrixInverse),J.isPerspectiveCamera&&(J.fov=Kr*2*Math.atan(1/J.projectionMatrix.elements[5]),J.zoom=1)}this.getCamera=function(){return X},this.getFoveation=function(){if(!(u===null&&f===null))return l},this.setFoveation=function(J){l=J,u!==null&&(u.fixedFoveation=J),f!==null&&f.fixedFoveation!==void 0&&(f.fixedFoveation=J)},this.hasDepthSensing=function(){return g.texture!==null},this.getDepthSensingMesh=function(){return g.getMesh(X)},this.getCameraTexture=function(J){return m[J]};let ee=null;function we(J,me){if(h=me.getViewerPose(c||o),p=me,h!==null){let be=h.views;f!==null&&(e.setRenderTargetFramebuffer(E,f.framebuffer),e.setRenderTarget(E));let Ce=!1;be.length!==X.cameras.length&&(X.cameras.length=0,Ce=!0);for(let Ie=0;Ie<be.length;Ie++){let Qe=be[Ie],tt=null;if(f!==null)tt=f.getViewport(Qe);else{let Lt=d.getViewSubImage(u,Qe);tt=Lt.viewport,Ie===0&&(e.setRenderTargetTextures(E,Lt.colorTexture,Lt.depthStencilTexture),e.setRenderTarget(E))}let qe=V[Ie];qe===void 0&&(qe=new kt,qe.layers.enable(Ie),qe.viewport=new it,V[Ie]=qe),qe.matrix.fromArray(Qe.transform.matrix),qe.matrix.decompose(qe.position,qe.quaternion,qe.scale),qe.projectionMatrix.fromArray(Qe.projectionMatrix),qe.projectionMatrixInverse.copy(qe.projectionMatrix).invert(),qe.viewport.set(tt.x,tt.y,tt.width,tt.height),Ie===0&&(X.matrix.copy(qe.matrix),X.matrix.decompose(X.position,X.quaternion,X.scale)),Ce===!0&&X.cameras.push(qe)}let ge=s.enabledFeatures;if(ge&&ge.includes("depth-sensing")&&s.depthUsage=="gpu-optimized"&&_){d=n.getBinding();let Ie=d.getDepthInformation(be[0]);Ie&&Ie.isValid&&Ie.texture&&g.init(Ie,s.renderState)}if(ge&&ge.includes("camera-access")&&_){e.state.unbindTexture(),d=n.getBinding();for(let Ie=0;Ie<be.length;Ie++){let Qe=be[Ie].camera;if(Qe){let tt=m[Qe];tt||(tt=new Gs,m[Qe]=tt);let qe=d.getCameraImage(Qe);tt.sourceTexture=qe}}}}for(let be=0;be<R.length;be++){let Ce=A[be],ge=R[be];Ce!==null&&ge!==void 0&&ge.update(Ce,me,c||o)}ee&&ee(J,me),me.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:me}),p=null}let Fe=new Ru;Fe.setAnimationLoop(we),this.setAnimationLoop=function(J){ee=J},this.dispose=function(){}}},ry=new Xe,ku=new Ne;ku.set(-1,0,0,0,1,0,0,0,1);function oy(i,e){function t(g,m){g.matrixAutoUpdate===!0&&g.updateMatrix(),m.value.copy(g.matrix)}function n(g,m){m.color.getRGB(g.fogColor.value,sc(i)),m.isFog?(g.fogNear.value=m.near,g.fogFar.value=m.far):m.isFogExp2&&(g.fogDensity.value=m.density)}function s(g,m,M,C,E){m.isNodeMaterial?m.uniformsNeedUpdate=!1:m.isMeshBasicMaterial?r(g,m):m.isMeshLambertMaterial?(r(g,m),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)):m.isMeshToonMaterial?(r(g,m),d(g,m)):m.isMeshPhongMaterial?(r(g,m),h(g,m),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)):m.isMeshStandardMaterial?(r(g,m),u(g,m),m.isMeshPhysicalMaterial&&f(g,m,E)):m.isMeshMatcapMaterial?(r(g,m),p(g,m)):m.isMeshDepthMaterial?r(g,m):m.isMeshDistanceMaterial?(r(g,m),_(g,m)):m.isMeshNormalMaterial?r(g,m):m.isLineBasicMaterial?(o(g,m),m.isLineDashedMaterial&&a(g,m)):m.isPointsMaterial?l(g,m,M,C):m.isSpriteMaterial?c(g,m):m.isShadowMaterial?(g.color.value.copy(m.color),g.opacity.value=m.opacity):m.isShaderMaterial&&(m.uniformsNeedUpdate=!1)}function r(g,m){g.opacity.value=m.opacity,m.color&&g.diffuse.value.copy(m.color),m.emissive&&g.emissive.value.copy(m.emissive).multiplyScalar(m.emissiveIntensity),m.map&&(g.map.value=m.map,t(m.map,g.mapTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,t(m.alphaMap,g.alphaMapTransform)),m.bumpMap&&(g.bumpMap.value=m.bumpMap,t(m.bumpMap,g.bumpMapTransform),g.bumpScale.value=m.bumpScale,m.side===Xt&&(g.bumpScale.value*=-1)),m.normalMap&&(g.normalMap.value=m.normalMap,t(m.normalMap,g.normalMapTransform),g.normalScale.value.copy(m.normalScale),m.side===Xt&&g.normalScale.value.negate()),m.displacementMap&&(g.displacementMap.value=m.displacementMap,t(m.displacementMap,g.displacementMapTransform),g.displacementScale.value=m.displacementScale,g.displacementBias.value=m.displacementBias),m.emissiveMap&&(g.emissiveMap.value=m.emissiveMap,t(m.emissiveMap,g.emissiveMapTransform)),m.specularMap&&(g.specularMap.value=m.specularMap,t(m.specularMap,g.specularMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest);let M=e.get(m),C=M.envMap,E=M.envMapRotation;C&&(g.envMap.value=C,g.envMapRotation.value.setFromMatrix4(ry.makeRotationFromEuler(E)).transpose(),C.isCubeTexture&&C.isRenderTargetTexture===!1&&g.envMapRotation.value.premultiply(ku),g.reflectivity.value=m.reflectivity,g.ior.value=m.ior,g.refractionRatio.value=m.refractionRatio),m.lightMap&&(g.lightMap.value=m.lightMap,g.lightMapIntensity.value=m.lightMapIntensity,t(m.lightMap,g.lightMapTransform)),m.aoMap&&(g.aoMap.value=m.aoMap,g.aoMapIntensity.value=m.aoMapIntensity,t(m.aoMap,g.aoMapTransform))}function o(g,m){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,m.map&&(g.map.value=m.map,t(m.map,g.mapTransform))}function a(g,m){g.dashSize.value=m.dashSize,g.totalSize.value=m.dashSize+m.gapSize,g.scale.value=m.scale}function l(g,m,M,C){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,g.size.value=m.size*M,g.scale.value=C*.5,m.map&&(g.map.value=m.map,t(m.map,g.uvTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,t(m.alphaMap,g.alphaMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest)}function c(g,m){g.diffuse.value.copy(m.color),g.opacity.value=m.opacity,g.rotation.value=m.rotation,m.map&&(g.map.value=m.map,t(m.map,g.mapTransform)),m.alphaMap&&(g.alphaMap.value=m.alphaMap,t(m.alphaMap,g.alphaMapTransform)),m.alphaTest>0&&(g.alphaTest.value=m.alphaTest)}function h(g,m){g.specular.value.copy(m.specular),g.shininess.value=Math.max(m.shininess,1e-4)}function d(g,m){m.gradientMap&&(g.gradientMap.value=m.gradientMap)}function u(g,m){g.metalness.value=m.metalness,m.metalnessMap&&(g.metalnessMap.value=m.metalnessMap,t(m.metalnessMap,g.metalnessMapTransform)),g.roughness.value=m.roughness,m.roughnessMap&&(g.roughnessMap.value=m.roughnessMap,t(m.roughnessMap,g.roughnessMapTransform)),m.envMap&&(g.envMapIntensity.value=m.envMapIntensity)}function f(g,m,M){g.ior.value=m.ior,m.diffuseRoughness>0&&(g.diffuseRoughness.value=m.diffuseRoughness,m.diffuseRoughnessMap&&(g.diffuseRoughnessMap.value=m.diffuseRoughnessMap,t(m.diffuseRoughnessMap,g.diffuseRoughnessMapTransform))),m.sheen>0&&(g.sheenColor.value.copy(m.sheenColor).multiplyScalar(m.sheen),g.sheenRoughness.value=m.sheenRoughness,m.sheenColorMap&&(g.sheenColorMap.value=m.sheenColorMap,t(m.sheenColorMap,g.sheenColorMapTransform)),m.sheenRoughnessMap&&(g.sheenRoughnessMap.value=m.sheenRoughnessMap,t(m.sheenRoughnessMap,g.sheenRoughnessMapTransform))),m.clearcoat>0&&(g.clearcoat.value=m.clearcoat,g.clearcoatRoughness.value=m.clearcoatRoughness,m.clearcoatMap&&(g.clearcoatMap.value=m.clearcoatMap,t(m.clearcoatMap,g.clearcoatMapTransform)),m.clearcoatRoughnessMap&&(g.clearcoatRoughnessMap.value=m.clearcoatRoughnessMap,t(m.clearcoatRoughnessMap,g.clearcoatRoughnessMapTransform)),m.clearcoatNormalMap&&(g.clearcoatNormalMap.value=m.clearcoatNormalMap,t(m.clearcoatNormalMap,g.clearcoatNormalMapTransform),g.clearcoatNormalScale.value.copy(m.clearcoatNormalScale),m.side===Xt&&g.clearcoatNormalScale.value.negate())),m.dispersion>0&&(g.dispersion.value=m.dispersion),m.retroreflectivity>0&&(g.retroreflectivity.value=m.retroreflectivity),m.iridescence>0&&(g.iridescence.value=m.iridescence,g.iridescenceIOR.value=m.iridescenceIOR,g.iridescenceThicknessMinimum.value=m.iridescenceThicknessMinimum,g.iridescenceThicknessMaximum.value=m.iridescenceThicknessMaximum,m.iridescenceMap&&(g.iridescenceMap.value=m.iridescenceMap,t(m.iridescenceMap,g.iridescenceMapTransform)),m.iridescenceThicknessMap&&(g.iridescenceThicknessMap.value=m.iridescenceThicknessMap,t(m.iridescenceThicknessMap,g.iridescenceThicknessMapTransform))),m.transmission>0&&(g.transmission.value=m.transmission,g.transmissionSamplerMap.value=M.texture,g.transmissionSamplerSize.value.set(M.width,M.height),m.transmissionMap&&(g.transmissionMap.value=m.transmissionMap,t(m.transmissionMap,g.transmissionMapTransform)),g.thickness.value=m.thickness,m.thicknessMap&&(g.thicknessMap.value=m.thicknessMap,t(m.thicknessMap,g.thicknessMapTransform)),g.attenuationDistance.value=m.attenuationDistance,g.attenuationColor.value.copy(m.attenuationColor)),m.anisotropy>0&&(g.anisotropyVector.value.set(m.anisotropy*Math.cos(m.anisotropyRotation),m.anisotropy*Math.sin(m.anisotropyRotation)),m.anisotropyMap&&(g.anisotropyMap.value=m.anisotropyMap,t(m.anisotropyMap,g.anisotropyMapTransform))),g.specularIntensity.value=m.specularIntensity,g.specularColor.value.copy(m.specularColor),m.specularColorMap&&(g.specularColorMap.value=m.specularColorMap,t(m.specularColorMap,g.specularColorMapTransform)),m.specularIntensityMap&&(g.specularIntensityMap.value=m.specularIntensityMap,t(m.specularIntensityMap,g.specularIntensityMapTransform))}function p(g,m){m.matcap&&(g.matcap.value=m.matcap)}function _(g,m){let M=e.get(m).light;g.referencePosition.value.setFromMatrixPosition(M.matrixWorld),g.nearDistance.value=M.shadow.camera.near,g.farDistance.value=M.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function ay(i,e,t,n){let s={},r={};function o(M,C){let E=C.program;n.uniformBlockBinding(M,E,s[M.id])}function a(M,C){let E=s[M.id];E===void 0&&(p(M),E=l(M),s[M.id]=E,M.addEventListener("dispose",g));let R=C.program;n.updateUBOMapping(M,R);let A=e.render.frame;r[M.id]!==A&&(c(M),r[M.id]=A)}function l(M){let C=i.createBuffer(),E=M.__size,R=M.usage;return i.bindBuffer(i.UNIFORM_BUFFER,C),i.bufferData(i.UNIFORM_BUFFER,E,R),i.bindBuffer(i.UNIFORM_BUFFER,null),C}function c(M){let C=s[M.id],E=M.uniforms,R=M.__cache;i.bindBuffer(i.UNIFORM_BUFFER,C);for(let A=0,y=E.length;A<y;A++){let S=E[A];if(Array.isArray(S))for(let F=0,N=S.length;F<N;F++)h(S[F],A,F,R);else h(S,A,0,R)}i.bindBuffer(i.UNIFORM_BUFFER,null)}function h(M,C,E,R){if(u(M,C,E,R)===!0){let A=M.__offset,y=M.value;if(Array.isArray(y)){let S=0;for(let F=0;F<y.length;F++){let N=y[F],U=_(N,!0);d(N,M.__data,S),S+=U.storage/Float32Array.BYTES_PER_ELEMENT}}else d(y,M.__data,0);i.bufferSubData(i.UNIFORM_BUFFER,A,M.__data)}}function d(M,C,E){typeof M=="number"||typeof M=="boolean"?C[E]=M:M.isMatrix3?(C[E]=M.elements[0],C[E+1]=M.elements[1],C[E+2]=M.elements[2],C[E+3]=0,C[E+4]=M.elements[3],C[E+5]=M.elements[4],C[E+6]=M.elements[5],C[E+7]=0,C[E+8]=M.elements[6],C[E+9]=M.elements[7],C[E+10]=M.elements[8],C[E+11]=0):ArrayBuffer.isView(M)?C.set(M.subarray(0,C.length-E),E):M.toArray(C,E)}function u(M,C,E,R){let A=M.value,y=C+"_"+E;if(Array.isArray(A)){R[y]===void 0&&(R[y]=[]);let S=R[y],F=!1;for(let N=0;N<A.length;N++)f(A[N],S,N)===!0&&(F=!0);return F}return f(A,R,y)}function f(M,C,E){if(C[E]===void 0)return typeof M=="number"||typeof M=="boolean"?C[E]=M:ArrayBuffer.isView(M)?C[E]=M.slice():C[E]=M.clone(),!0;{let R=C[E];if(typeof M=="number"||typeof M=="boolean"){if(R!==M)return C[E]=M,!0}else{if(ArrayBuffer.isView(M))return!0;if(R.equals(M)===!1)return R.copy(M),!0}}return!1}function p(M){let C=M.uniforms,E=0,R=16;for(let y=0,S=C.length;y<S;y++){let F=Array.isArray(C[y])?C[y]:[C[y]];for(let N=0,U=F.length;N<U;N++){let V=F[N],X=Array.isArray(V.value)?V.value:[V.value],w=Array.isArray(C[y])||Array.isArray(V.value),G=E;for(let O=0,te=X.length;O<te;O++){let W=X[O],Q=_(W,w),ee=E%R,we=ee%Q.boundary,Fe=ee+we;E+=we,Fe!==0&&R-Fe<Q.storage&&(E+=R-Fe),O===0&&(G=E),E+=Q.storage}let q=V.type==="int"?Int32Array:V.type==="uint"?Uint32Array:Float32Array;V.__data=new q((E-G)/Float32Array.BYTES_PER_ELEMENT),V.__offset=G}}let A=E%R;return A>0&&(E+=R-A),M.__size=E,M.__cache={},this}function _(M,C){let E={boundary:0,storage:0};return typeof M=="number"||typeof M=="boolean"?(E.boundary=4,E.storage=4):M.isVector2?(E.boundary=8,E.storage=8):M.isVector3||M.isColor?(E.boundary=16,E.storage=12):M.isVector4?(E.boundary=16,E.storage=16):M.isMatrix3?(E.boundary=16,E.storage=48):M.isMatrix4?(E.boundary=16,E.storage=64):M.isTexture?Pe("WebGLRenderer: Texture samplers can not be part of an uniforms group."):ArrayBuffer.isView(M)?(E.boundary=16,E.storage=M.byteLength):Pe("WebGLRenderer: Unsupported uniform value type.",M),C===!0&&(E.boundary=16,E.storage=Math.ceil(E.storage/16)*16),E}function g(M){let C=M.target;C.removeEventListener("dispose",g),i.deleteBuffer(s[C.id]),delete s[C.id],delete r[C.id]}function m(){for(let M in s)i.deleteBuffer(s[M]);s={},r={}}return{bind:o,update:a,dispose:m}}var ly=new Uint16Array([12469,15057,12620,14925,13266,14620,13807,14376,14323,13990,14545,13625,14713,13328,14840,12882,14931,12528,14996,12233,15039,11829,15066,11525,15080,11295,15085,10976,15082,10705,15073,10495,13880,14564,13898,14542,13977,14430,14158,14124,14393,13732,14556,13410,14702,12996,14814,12596,14891,12291,14937,11834,14957,11489,14958,11194,14943,10803,14921,10506,14893,10278,14858,9960,14484,14039,14487,14025,14499,13941,14524,13740,14574,13468,14654,13106,14743,12678,14818,12344,14867,11893,14889,11509,14893,11180,14881,10751,14852,10428,14812,10128,14765,9754,14712,9466,14764,13480,14764,13475,14766,13440,14766,13347,14769,13070,14786,12713,14816,12387,14844,11957,14860,11549,14868,11215,14855,10751,14825,10403,14782,10044,14729,9651,14666,9352,14599,9029,14967,12835,14966,12831,14963,12804,14954,12723,14936,12564,14917,12347,14900,11958,14886,11569,14878,11247,14859,10765,14828,10401,14784,10011,14727,9600,14660,9289,14586,8893,14508,8533,15111,12234,15110,12234,15104,12216,15092,12156,15067,12010,15028,11776,14981,11500,14942,11205,14902,10752,14861,10393,14812,9991,14752,9570,14682,9252,14603,8808,14519,8445,14431,8145,15209,11449,15208,11451,15202,11451,15190,11438,15163,11384,15117,11274,15055,10979,14994,10648,14932,10343,14871,9936,14803,9532,14729,9218,14645,8742,14556,8381,14461,8020,14365,7603,15273,10603,15272,10607,15267,10619,15256,10631,15231,10614,15182,10535,15118,10389,15042,10167,14963,9787,14883,9447,14800,9115,14710,8665,14615,8318,14514,7911,14411,7507,14279,7198,15314,9675,15313,9683,15309,9712,15298,9759,15277,9797,15229,9773,15166,9668,15084,9487,14995,9274,14898,8910,14800,8539,14697,8234,14590,7790,14479,7409,14367,7067,14178,6621,15337,8619,15337,8631,15333,8677,15325,8769,15305,8871,15264,8940,15202,8909,15119,8775,15022,8565,14916,8328,14804,8009,14688,7614,14569,7287,14448,6888,14321,6483,14088,6171,15350,7402,15350,7419,15347,7480,15340,7613,15322,7804,15287,7973,15229,8057,15148,8012,15046,7846,14933,7611,14810,7357,14682,7069,14552,6656,14421,6316,14251,5948,14007,5528,15356,5942,15356,5977,15353,6119,15348,6294,15332,6551,15302,6824,15249,7044,15171,7122,15070,7050,14949,6861,14818,6611,14679,6349,14538,6067,14398,5651,14189,5311,13935,4958,15359,4123,15359,4153,15356,4296,15353,4646,15338,5160,15311,5508,15263,5829,15188,6042,15088,6094,14966,6001,14826,5796,14678,5543,14527,5287,14377,4985,14133,4586,13869,4257,15360,1563,15360,1642,15358,2076,15354,2636,15341,3350,15317,4019,15273,4429,15203,4732,15105,4911,14981,4932,14836,4818,14679,4621,14517,4386,14359,4156,14083,3795,13808,3437,15360,122,15360,137,15358,285,15355,636,15344,1274,15322,2177,15281,2765,15215,3223,15120,3451,14995,3569,14846,3567,14681,3466,14511,3305,14344,3121,14037,2800,13753,2467,15360,0,15360,1,15359,21,15355,89,15346,253,15325,479,15287,796,15225,1148,15133,1492,15008,1749,14856,1882,14685,1886,14506,1783,14324,1608,13996,1398,13702,1183]),Fn=null;function cy(){return Fn===null&&(Fn=new Ii(ly,16,16,yi,wn),Fn.name="DFG_LUT",Fn.minFilter=Wt,Fn.magFilter=Wt,Fn.wrapS=In,Fn.wrapT=In,Fn.generateMipmaps=!1,Fn.needsUpdate=!0),Fn}var da=class{constructor(e={}){let{canvas:t=Qh(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:h="default",failIfMajorPerformanceCaveat:d=!1,reversedDepthBuffer:u=!1,outputBufferType:f=Dt}=e;this.isWebGLRenderer=!0;let p;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");p=n.getContextAttributes().alpha}else p=o;let _=f,g=new Set([Lo,Io,Po]),m=new Set([Dt,an,us,Oi,Ao,Co]),M=new Uint32Array(4),C=new Int32Array(4),E={textures:[],min:[],max:[],resolution:[]},R=null,A=null,y=[],S=[],F=null;this.domElement=t,this.debug={checkShaderErrors:!0,diagnostics:{keywords:!1},onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this.toneMapping=Un,this.toneMappingExposure=1,this.transmissionResolutionScale=1;let N=this,U=!1,V=null,X=null,w=null,G=null;this._outputColorSpace=rn;let q=0,O=0,te=null,W=-1,Q=null,ee=new it,we=new it,Fe=null,J=new Ge(0),me=0,be=t.width,Ce=t.height,ge=1,Be=null,gt=null,Ie=new it(0,0,be,Ce),Qe=new it(0,0,be,Ce),tt=!1,qe=new Li,Lt=new no,xt=!1,$t=!1,ut=new Xe,Rn=new I,Tt=new it,hn={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0},un=!1;function dn(){return te===null?ge:1}let D=n;function fn(b,L){return t.getContext(b,L)}let at,lt,de,bt,Re,De,T,x,k,ne,j,re,he,Y,Z,ae,P,K,$,le,se,oe,Ee;try{let b={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:h,failIfMajorPerformanceCaveat:d};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${"187"}`),t.addEventListener("webglcontextlost",Ae,!1),t.addEventListener("webglcontextrestored",ke,!1),t.addEventListener("webglcontextcreationerror",fe,!1),D===null){let L="webgl2";if(D=fn(L,b),D===null)throw fn(L)?new Error("THREE.WebGLRenderer: Error creating WebGL context with your selected attributes."):new Error("THREE.WebGLRenderer: Error creating WebGL context.")}Ve()}catch(b){throw t.removeEventListener("webglcontextlost",Ae,!1),t.removeEventListener("webglcontextrestored",ke,!1),t.removeEventListener("webglcontextcreationerror",fe,!1),Le("WebGLRenderer: "+b.message),b}function Ve(){at=new xg(D),at.init(),se=new ny(D,at),lt=new cg(D,at,e,se),de=new ey(D,at),lt.reversedDepthBuffer&&u&&de.buffers.depth.setReversed(!0),X=D.createFramebuffer(),w=D.createFramebuffer(),G=D.createFramebuffer(),bt=new Sg(D),Re=new z0,De=new ty(D,at,de,Re,lt,se,bt),T=new _g(N),x=new Tf(D),oe=new ag(D,x),k=new bg(D,x,bt,oe),ne=new Tg(D,k,x,oe,bt),K=new wg(D,lt,De),Z=new hg(Re),j=new k0(N,T,at,lt,oe,Z),re=new oy(N,Re),he=new G0,Y=new Y0(at),P=new og(N,T,de,ne,p,l),ae=new Q0(N,ne,lt),Ee=new ay(D,bt,lt,de),$=new lg(D,at,bt),le=new Mg(D,at,bt),bt.programs=j.programs,N.capabilities=lt,N.extensions=at,N.properties=Re,N.renderLists=he,N.shadowMap=ae,N.state=de,N.info=bt}_!==Dt&&(F=new Ag(_,t.width,t.height,a,s,r));let ie=new yc(N,D);this.xr=ie,this.getContext=function(){return D},this.getContextAttributes=function(){return D.getContextAttributes()},this.forceContextLoss=function(){let b=at.get("WEBGL_lose_context");b&&b.loseContext()},this.forceContextRestore=function(){let b=at.get("WEBGL_lose_context");b&&b.restoreContext()},this.getPixelRatio=function(){return ge},this.setPixelRatio=function(b){b!==void 0&&(ge=b,this.setSize(be,Ce,!1))},this.getSize=function(b){return b.set(be,Ce)},this.setSize=function(b,L,H=!0){if(ie.isPresenting){Pe("WebGLRenderer: Can't change size while VR device is presenting.");return}be=b,Ce=L,t.width=Math.floor(b*ge),t.height=Math.floor(L*ge),H===!0&&(t.style.width=b+"px",t.style.height=L+"px"),F!==null&&F.setSize(t.width,t.height),this.setViewport(0,0,b,L)},this.getDrawingBufferSize=function(b){return b.set(be*ge,Ce*ge).floor()},this.setDrawingBufferSize=function(b,L,H){be=b,Ce=L,ge=H,t.width=Math.floor(b*H),t.height=Math.floor(L*H),this.setViewport(0,0,b,L)},this.setEffects=function(b){if(_===Dt){Le("WebGLRenderer: setEffects() requires outputBufferType set to HalfFloatType or FloatType.");return}if(b){for(let L=0;L<b.length;L++)if(b[L].isOutputPass===!0){Pe("WebGLRenderer: OutputPass is not needed in setEffects(). Tone mapping and color space conversion are applied automatically.");break}}F.setEffects(b||[])},this.getCurrentViewport=function(b){return b.copy(ee)},this.getViewport=function(b){return b.copy(Ie)},this.setViewport=function(b,L,H,B){b.isVector4?Ie.set(b.x,b.y,b.z,b.w):Ie.set(b,L,H,B),de.viewport(ee.copy(Ie).multiplyScalar(dn()).round())},this.getScissor=function(b){return b.copy(Qe)},this.setScissor=function(b,L,H,B){b.isVector4?Qe.set(b.x,b.y,b.z,b.w):Qe.set(b,L,H,B),de.scissor(we.copy(Qe).multiplyScalar(dn()).round())},this.getScissorTest=function(){return tt},this.setScissorTest=function(b){de.setScissorTest(tt=b)},this.setOpaqueSort=function(b){Be=b},this.setTransparentSort=function(b){gt=b},this.getClearColor=function(b){return b.copy(P.getClearColor())},this.setClearColor=function(){P.setClearColor(...arguments)},this.getClearAlpha=function(){return P.getClearAlpha()},this.setClearAlpha=function(){P.setClearAlpha(...arguments)},this.clear=function(b=!0,L=!0,H=!0){let B=0;if(b){let z=!1;if(te!==null){let ue=te.texture.format;z=g.has(ue)}if(z){let ue=te.texture.type,xe=m.has(ue),ce=P.getClearColor(),ye=P.getClearAlpha(),Te=ce.r,Oe=ce.g,$e=ce.b;xe?(M[0]=Te,M[1]=Oe,M[2]=$e,M[3]=ye,D.clearBufferuiv(D.COLOR,0,M)):(C[0]=Te,C[1]=Oe,C[2]=$e,C[3]=ye,D.clearBufferiv(D.COLOR,0,C))}else B|=D.COLOR_BUFFER_BIT}L&&(B|=D.DEPTH_BUFFER_BIT,this.state.buffers.depth.setMask(!0)),H&&(B|=D.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),B!==0&&D.clear(B)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.setNodesHandler=function(b){b.setRenderer(this),V=b},this.dispose=function(){t.removeEventListener("webglcontextlost",Ae,!1),t.removeEventListener("webglcontextrestored",ke,!1),t.removeEventListener("webglcontextcreationerror",fe,!1),P.dispose(),he.dispose(),Y.dispose(),De.dispose(),Re.dispose(),T.dispose(),ne.dispose(),k.dispose(),oe.dispose(),Ee.dispose(),j.dispose(),ie.dispose(),ie.removeEventListener("sessionstart",Nc),ie.removeEventListener("sessionend",Dc),Mi.stop()};function Ae(b){b.preventDefault(),nc("WebGLRenderer: Context Lost."),U=!0}function ke(){nc("WebGLRenderer: Context Restored."),U=!1;let b=bt.autoReset,L=ae.enabled,H=ae.autoUpdate,B=ae.needsUpdate,z=ae.type;Ve(),bt.autoReset=b,ae.enabled=L,ae.autoUpdate=H,ae.needsUpdate=B,ae.type=z}function fe(b){Le("WebGLRenderer: A WebGL context could not be created. Reason: ",b.statusMessage)}function et(b){let L=b.target;L.removeEventListener("dispose",et),Et(L)}function Et(b){ni(b),Re.remove(b)}function ni(b){let L=Re.get(b).programs;L!==void 0&&(L.forEach(function(H){j.releaseProgram(H)}),b.isShaderMaterial&&j.releaseShaderCache(b))}this.renderBufferDirect=function(b,L,H,B,z,ue){L===null&&(L=hn);let xe=z.isMesh&&z.matrixWorld.determinantAffine()<0,ce=Fd(b,L,H,B,z);de.setMaterial(B,xe);let ye=H.index,Te=1;if(B.wireframe===!0){if(ye=k.getWireframeAttribute(H),ye===void 0)return;Te=2}let Oe=H.drawRange,$e=H.attributes.position,Me=Oe.start*Te,Ye=(Oe.start+Oe.count)*Te;ue!==null&&(Me=Math.max(Me,ue.start*Te),Ye=Math.min(Ye,(ue.start+ue.count)*Te)),ye!==null?(Me=Math.max(Me,0),Ye=Math.min(Ye,ye.count)):$e!=null&&(Me=Math.max(Me,0),Ye=Math.min(Ye,$e.count));let yt=Ye-Me;if(yt<0||yt===1/0)return;oe.setup(z,B,ce,H,ye);let st,nt=$;if(ye!==null&&(st=x.get(ye),nt=le,nt.setIndex(st)),z.isMesh)B.wireframe===!0?(de.setLineWidth(B.wireframeLinewidth*dn()),nt.setMode(D.LINES)):nt.setMode(D.TRIANGLES);else if(z.isLine){let Ut=B.linewidth;Ut===void 0&&(Ut=1),de.setLineWidth(Ut*dn()),z.isLineSegments?nt.setMode(D.LINES):z.isLineLoop?nt.setMode(D.LINE_LOOP):nt.setMode(D.LINE_STRIP)}else z.isPoints?nt.setMode(D.POINTS):z.isSprite&&nt.setMode(D.TRIANGLES);if(z.isBatchedMesh)if(at.get("WEBGL_multi_draw"))nt.renderMultiDraw(z._multiDrawStarts,z._multiDrawCounts,z._multiDrawCount);else{let Ut=z._multiDrawStarts,Se=z._multiDrawCounts,Ht=z._multiDrawCount,Ke=ye?x.get(ye).bytesPerElement:1,Si=Re.get(B).currentProgram.getUniforms();for(let Ft=0;Ft<Ht;Ft++)Si.setValue(D,"_gl_DrawID",Ft),nt.render(Ut[Ft]/Ke,Se[Ft])}else if(z.isInstancedMesh)nt.renderInstances(Me,yt,z.count);else if(H.isInstancedBufferGeometry){let Ut=H._maxInstanceCount!==void 0?H._maxInstanceCount:1/0,Se=Math.min(H.instanceCount,Ut);nt.renderInstances(Me,yt,Se)}else nt.render(Me,yt)};function Lc(b,L,H,B){V!==null&&b.isNodeMaterial&&V.setObject(B,b),xt===!0&&Z.setState(b,H,!1),b.transparent===!0&&b.side===gn&&b.forceSinglePass===!1?(b.side=Xt,b.needsUpdate=!0,bs(b,L,B),b.side=gi,b.needsUpdate=!0,bs(b,L,B),b.side=gn):bs(b,L,B)}this.compile=function(b,L,H=null){H===null&&(H=b),V!==null&&V.renderStart(b,L,H),A=Y.get(H),A.init(L),S.push(A),H.traverseVisible(function(z){z.isLight&&z.layers.test(L.layers)&&(A.pushLight(z),z.castShadow&&A.pushShadow(z))}),b!==H&&b.traverseVisible(function(z){z.isLight&&z.layers.test(L.layers)&&(A.pushLight(z),z.castShadow&&A.pushShadow(z))}),A.setupLights(),V!==null&&V.updateLights(A.state.lightsArray),$t=this.localClippingEnabled,xt=Z.init(this.clippingPlanes,$t),xt===!0&&Z.setGlobalState(this.clippingPlanes,L),V!==null&&ae.render(A.state.shadowsArray,H,L);let B=new Set;return b.traverse(function(z){if(!(z.isMesh||z.isPoints||z.isLine||z.isSprite))return;let ue=z.material;if(ue)if(Array.isArray(ue))for(let xe=0;xe<ue.length;xe++){let ce=ue[xe];Lc(ce,H,L,z),B.add(ce)}else Lc(ue,H,L,z),B.add(ue)}),A=S.pop(),V!==null&&V.renderEnd(),B},this.compileAsync=function(b,L,H=null){let B=this.compile(b,L,H);return new Promise(z=>{function ue(){if(B.forEach(function(xe){let ye=Re.get(xe).currentProgram;(ye===void 0||ye.isReady())&&B.delete(xe)}),B.size===0){z(b);return}setTimeout(ue,10)}at.get("KHR_parallel_shader_compile")!==null?ue():setTimeout(ue,10)})};let Qa=null;function Dd(b){Qa&&Qa(b)}function Nc(){Mi.stop()}function Dc(){Mi.start()}let Mi=new Ru;Mi.setAnimationLoop(Dd),typeof self<"u"&&Mi.setContext(self),this.setAnimationLoop=function(b){Qa=b,ie.setAnimationLoop(b),b===null?Mi.stop():Mi.start()},ie.addEventListener("sessionstart",Nc),ie.addEventListener("sessionend",Dc),this.render=function(b,L){if(L!==void 0&&L.isCamera!==!0){Le("WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(U===!0)return;V!==null&&V.renderStart(b,L);let H=ie.enabled===!0&&ie.isPresenting===!0,B=F!==null&&(te===null||H)&&F.begin(N,te);if(b.matrixWorldAutoUpdate===!0&&b.updateMatrixWorld(),L.parent===null&&L.matrixWorldAutoUpdate===!0&&L.updateMatrixWorld(),ie.enabled===!0&&ie.isPresenting===!0&&(F===null||F.isCompositing()===!1)&&(ie.cameraAutoUpdate===!0&&ie.updateCamera(L),L=ie.getCamera()),b.isScene===!0&&b.onBeforeRender(N,b,L,te),A=Y.get(b,S.length),A.init(L),A.state.textureUnits=De.getTextureUnits(),S.push(A),ut.multiplyMatrices(L.projectionMatrix,L.matrixWorldInverse),L.isArrayCamera?Lt.setFromArrayCamera(L):qe.setFromProjectionMatrix(ut,mn,L.reversedDepth),$t=this.localClippingEnabled,xt=Z.init(this.clippingPlanes,$t),R=he.get(b,y.length),R.init(),y.push(R),this.info.render.frame++,ie.enabled===!0&&ie.isPresenting===!0){let xe=N.xr.getDepthSensingMesh();xe!==null&&el(xe,L,-1/0,N.sortObjects)}el(b,L,0,N.sortObjects),R.finish(),V!==null&&V.updateLights(A.state.lightsArray),N.sortObjects===!0&&R.sort(Be,gt),un=ie.enabled===!1||ie.isPresenting===!1||ie.hasDepthSensing()===!1,un&&P.addToRenderList(R,b),this.info.autoReset===!0&&this.info.reset(),xt===!0&&Z.beginShadows();let z=A.state.shadowsArray;if(ae.render(z,b,L),xt===!0&&Z.endShadows(),(B&&F.hasRenderPass())===!1){let xe=R.opaque,ce=R.transmissive;if(A.setupLights(),L.isArrayCamera){let ye=L.cameras;if(ce.length>0)for(let Te=0,Oe=ye.length;Te<Oe;Te++){let $e=ye[Te];Fc(xe,ce,b,$e)}un&&P.render(b);for(let Te=0,Oe=ye.length;Te<Oe;Te++){let $e=ye[Te];Uc(R,b,$e,$e.viewport)}}else ce.length>0&&Fc(xe,ce,b,L),un&&P.render(b),Uc(R,b,L)}te!==null&&O===0&&(De.updateMultisampleRenderTarget(te),De.updateRenderTargetMipmap(te)),B&&F.end(N),b.isScene===!0&&b.onAfterRender(N,b,L),oe.resetDefaultState(),W=-1,Q=null,S.pop(),S.length>0?(A=S[S.length-1],De.setTextureUnits(A.state.textureUnits),xt===!0&&Z.setGlobalState(N.clippingPlanes,A.state.camera)):A=null,y.pop(),y.length>0?R=y[y.length-1]:R=null,V!==null&&V.renderEnd()};function el(b,L,H,B){if(b.visible===!1)return;if(b.layers.test(L.layers)){if(b.isGroup)H=b.renderOrder;else if(b.isLOD)b.autoUpdate===!0&&b.update(L);else if(b.isLight)A.pushLight(b),b.castShadow&&A.pushShadow(b);else if(b.isSprite){let xe=L.isArrayCamera?Lt:qe;if(!b.frustumCulled||b.intersectsFrustum(xe)){B&&Tt.setFromMatrixPosition(b.matrixWorld).applyMatrix4(ut);let ce=ne.update(b),ye=b.material;ye.visible&&R.push(b,ce,ye,H,Tt.z,null,L)}}else if(b.isMesh||b.isLine||b.isPoints){let xe=L.isArrayCamera?Lt:qe;if(!b.frustumCulled||b.intersectsFrustum(xe)){let ce=ne.update(b),ye=b.material;if(B&&(b.boundingSphere!==void 0?(b.boundingSphere===null&&b.computeBoundingSphere(),Tt.copy(b.boundingSphere.center)):(ce.boundingSphere===null&&ce.computeBoundingSphere(),Tt.copy(ce.boundingSphere.center)),Tt.applyMatrix4(b.matrixWorld).applyMatrix4(ut)),Array.isArray(ye)){let Te=ce.groups;for(let Oe=0,$e=Te.length;Oe<$e;Oe++){let Me=Te[Oe],Ye=ye[Me.materialIndex];Ye&&Ye.visible&&R.push(b,ce,Ye,H,Tt.z,Me,L)}}else ye.visible&&R.push(b,ce,ye,H,Tt.z,null,L)}}}let ue=b.children;for(let xe=0,ce=ue.length;xe<ce;xe++)el(ue[xe],L,H,B)}function Uc(b,L,H,B){let{opaque:z,transmissive:ue,transparent:xe}=b;A.setupLightsView(H),xt===!0&&Z.setGlobalState(N.clippingPlanes,H),B&&de.viewport(ee.copy(B)),z.length>0&&dr(z,L,H),ue.length>0&&dr(ue,L,H),xe.length>0&&dr(xe,L,H),de.buffers.depth.setTest(!0),de.buffers.depth.setMask(!0),de.buffers.color.setMask(!0),de.setPolygonOffset(!1)}function Fc(b,L,H,B){if((H.isScene===!0?H.overrideMaterial:null)!==null)return;if(A.state.transmissionRenderTarget[B.id]===void 0){let Me=at.has("EXT_color_buffer_half_float")||at.has("EXT_color_buffer_float");A.state.transmissionRenderTarget[B.id]=new Rt(1,1,{generateMipmaps:!0,type:Me?wn:Dt,minFilter:Kn,samples:Math.max(4,lt.samples),stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,colorSpace:We.workingColorSpace})}let ue=A.state.transmissionRenderTarget[B.id],xe=B.viewport||ee;ue.setSize(xe.z*N.transmissionResolutionScale,xe.w*N.transmissionResolutionScale);let ce=N.getRenderTarget(),ye=N.getActiveCubeFace(),Te=N.getActiveMipmapLevel();N.setRenderTarget(ue),N.getClearColor(J),me=N.getClearAlpha(),me<1&&N.setClearColor(16777215,.5),N.clear(),un&&P.render(H);let Oe=N.toneMapping;N.toneMapping=Un;let $e=B.viewport;if(B.viewport!==void 0&&(B.viewport=void 0),A.setupLightsView(B),xt===!0&&Z.setGlobalState(N.clippingPlanes,B),dr(b,H,B),De.updateMultisampleRenderTarget(ue),De.updateRenderTargetMipmap(ue),at.has("WEBGL_multisampled_render_to_texture")===!1){let Me=!1;for(let Ye=0,yt=L.length;Ye<yt;Ye++){let st=L[Ye],{object:nt,geometry:Ut,material:Se,group:Ht}=st;if(Se.side===gn&&nt.layers.test(B.layers)){let Ke=Se.side;Se.side=Xt,Se.needsUpdate=!0,Oc(nt,H,B,Ut,Se,Ht),Se.side=Ke,Se.needsUpdate=!0,Me=!0}}Me===!0&&(De.updateMultisampleRenderTarget(ue),De.updateRenderTargetMipmap(ue))}N.setRenderTarget(ce,ye,Te),N.setClearColor(J,me),$e!==void 0&&(B.viewport=$e),N.toneMapping=Oe}function dr(b,L,H){let B=L.isScene===!0?L.overrideMaterial:null;for(let z=0,ue=b.length;z<ue;z++){let xe=b[z],{object:ce,geometry:ye,group:Te}=xe,Oe=xe.material;Oe.allowOverride===!0&&B!==null&&(Oe=B),ce.layers.test(H.layers)&&Oc(ce,L,H,ye,Oe,Te)}}function Oc(b,L,H,B,z,ue){V!==null&&z.isNodeMaterial&&V.setObject(b,z),b.onBeforeRender(N,L,H,B,z,ue),b.modelViewMatrix.multiplyMatrices(H.matrixWorldInverse,b.matrixWorld),b.normalMatrix.getNormalMatrix(b.modelViewMatrix),z.onBeforeRender(N,L,H,B,b,ue),z.transparent===!0&&z.side===gn&&z.forceSinglePass===!1?(z.side=Xt,z.needsUpdate=!0,N.renderBufferDirect(H,L,B,z,b,ue),z.side=gi,z.needsUpdate=!0,N.renderBufferDirect(H,L,B,z,b,ue),z.side=gn):N.renderBufferDirect(H,L,B,z,b,ue),b.onAfterRender(N,L,H,B,z,ue)}function Bc(b){let L=0;for(let H of b)H.texture!==null&&L++;return L}function bs(b,L,H){L.isScene!==!0&&(L=hn);let B=Re.get(b),z=A.state.lights,ue=A.state.shadowsArray,xe=z.state.version,ce=j.getParameters(b,z.state,ue,L,H,A.state.lightProbeGridArray),ye=j.getProgramCacheKey(ce),Te=B.programs;B.environment=b.isMeshStandardMaterial||b.isMeshLambertMaterial||b.isMeshPhongMaterial?L.environment:null,B.fog=L.fog;let Oe=b.isMeshStandardMaterial||b.isMeshLambertMaterial&&!b.envMap||b.isMeshPhongMaterial&&!b.envMap;B.envMap=T.get(b.envMap||B.environment,Oe),B.envMapRotation=B.environment!==null&&b.envMap===null?L.environmentRotation:b.envMapRotation,Te===void 0&&(b.addEventListener("dispose",et),Te=new Map,B.programs=Te,B.programVariants=new Map);let $e=Te.get(ye);if($e!==void 0){if(B.currentProgram===$e&&B.lightsStateVersion===xe)return zc(b,ce),$e}else ce.uniforms=j.getUniforms(b),V!==null&&b.isNodeMaterial&&V.build(b,H,ce),b.onBeforeCompile(ce,N),$e=j.acquireProgram(ce,ye),Te.set(ye,$e),B.uniforms=ce.uniforms;let Me=B.uniforms;return(!b.isShaderMaterial&&!b.isRawShaderMaterial||b.clipping===!0)&&(Me.clippingPlanes=Z.uniform),zc(b,ce),B.needsLights=Bd(b),B.lightsStateVersion=xe,B.needsLights&&(Me.ambientLightColor.value=z.state.ambient,Me.lightProbe.value=z.state.probe,Me.sunLights.value=z.state.sun,Me.sunLightShadows.value=z.state.sunShadow,Me.directionalLights.value=z.state.directional,Me.directionalLightShadows.value=z.state.directionalShadow,Me.spotLights.value=z.state.spot,Me.spotLightShadows.value=z.state.spotShadow,Me.rectAreaLights.value=z.state.rectArea,Me.ltc_1.value=z.state.rectAreaLTC1,Me.ltc_2.value=z.state.rectAreaLTC2,Me.pointLights.value=z.state.point,Me.pointLightShadows.value=z.state.pointShadow,Me.hemisphereLights.value=z.state.hemi,Me.sunShadowMatrix.value=z.state.sunShadowMatrix,Me.sunShadowCascade.value=z.state.sunShadowCascade,Me.directionalShadowMatrix.value=z.state.directionalShadowMatrix,Me.spotLightMatrix.value=z.state.spotLightMatrix,Me.spotLightMap.value=z.state.spotLightMap,Me.pointShadowMatrix.value=z.state.pointShadowMatrix),B.numLightProbeGrids=Bc(A.state.lightProbeGridArray),B.currentProgram=$e,B.uniformsList=null,$e}function Ud(b,L,H,B,z){let ue=Re.get(b),xe=ue.currentProgram.id+","+B+","+z,ce=ue.programVariants.get(xe);return ce===void 0?(ce=bs(b,L,H),ue.programVariants.set(xe,ce)):(ue.currentProgram=ce,ue.uniformsList=null,ue.outputColorSpace=B,ue.toneMapping=z),ce}function kc(b){if(b.uniformsList===null){let L=b.currentProgram.getUniforms();b.uniformsList=ds.seqWithValue(L.seq,b.uniforms)}return b.uniformsList}function zc(b,L){let H=Re.get(b);H.outputColorSpace=L.outputColorSpace,H.batching=L.batching,H.batchingColor=L.batchingColor,H.instancing=L.instancing,H.instancingColor=L.instancingColor,H.instancingMorph=L.instancingMorph,H.skinning=L.skinning,H.morphTargets=L.morphTargets,H.morphNormals=L.morphNormals,H.morphColors=L.morphColors,H.morphTargetsCount=L.morphTargetsCount,H.numClippingPlanes=L.numClippingPlanes,H.numIntersection=L.numClipIntersection,H.vertexAlphas=L.vertexAlphas,H.vertexTangents=L.vertexTangents,H.toneMapping=L.toneMapping}function Fd(b,L,H,B,z){L.isScene!==!0&&(L=hn),De.resetTextureUnits();let ue=L.fog,xe=B.isMeshStandardMaterial||B.isMeshLambertMaterial||B.isMeshPhongMaterial?L.environment:null,ce=te===null?N.outputColorSpace:te.isXRRenderTarget===!0?te.texture.colorSpace:We.workingColorSpace,ye=B.isMeshStandardMaterial||B.isMeshLambertMaterial&&!B.envMap||B.isMeshPhongMaterial&&!B.envMap,Te=T.get(B.envMap||xe,ye),Oe=B.vertexColors===!0&&!!H.attributes.color&&H.attributes.color.itemSize===4,$e=!!H.attributes.tangent&&(!!B.normalMap||B.anisotropy>0),Me=!!H.morphAttributes.position,Ye=!!H.morphAttributes.normal,yt=!!H.morphAttributes.color,st=Un;B.toneMapped&&(te===null||te.isXRRenderTarget===!0)&&(st=N.toneMapping);let nt=H.morphAttributes.position||H.morphAttributes.normal||H.morphAttributes.color,Ut=nt!==void 0?nt.length:0,Se=Re.get(B),Ht=A.state.lights;if(xt===!0&&($t===!0||b!==Q)){let dt=b===Q&&B.id===W;Z.setState(B,b,dt)}let Ke=!1,Si=!1;B.version===Se.__version?Se.needsLights&&Se.lightsStateVersion!==Ht.state.version||z.isBatchedMesh&&Se.batching===!1||!z.isBatchedMesh&&Se.batching===!0||z.isBatchedMesh&&Se.batchingColor===!0&&z._colorsTexture===null||z.isBatchedMesh&&Se.batchingColor===!1&&z._colorsTexture!==null||z.isInstancedMesh&&Se.instancing===!1||!z.isInstancedMesh&&Se.instancing===!0||z.isSkinnedMesh&&Se.skinning===!1||!z.isSkinnedMesh&&Se.skinning===!0||z.isInstancedMesh&&Se.instancingColor===!0&&z.instanceColor===null||z.isInstancedMesh&&Se.instancingColor===!1&&z.instanceColor!==null||z.isInstancedMesh&&Se.instancingMorph===!0&&z.morphTexture===null||z.isInstancedMesh&&Se.instancingMorph===!1&&z.morphTexture!==null||Se.envMap!==Te||B.fog===!0&&Se.fog!==ue||Se.numClippingPlanes!==void 0&&(Se.numClippingPlanes!==Z.numPlanes||Se.numIntersection!==Z.numIntersection)||Se.vertexAlphas!==Oe||Se.vertexTangents!==$e||Se.morphTargets!==Me||Se.morphNormals!==Ye||Se.morphColors!==yt||Se.morphTargetsCount!==Ut||Se.numLightProbeGrids!==Bc(A.state.lightProbeGridArray)?Ke=!0:(Se.outputColorSpace!==ce||Se.toneMapping!==st)&&(Si=!0):(Ke=!0,Se.__version=B.version);let Ft=Se.currentProgram;(Ke===!0||Si===!0)&&(Ft=Si===!0?Ud(B,L,z,ce,st):bs(B,L,z),V&&B.isNodeMaterial&&V.onUpdateProgram(B,Ft,Se));let fr=!1,ii=!1,wi=!1,Je=Ft.getUniforms(),Nt=Se.uniforms;if(de.useProgram(Ft.program)&&(fr=!0,ii=!0,wi=!0),B.id!==W&&(W=B.id,ii=!0),fr||Q!==b){de.buffers.depth.getReversed()&&b.reversedDepth!==!0&&(b._reversedDepth=!0,b.updateProjectionMatrix()),Je.setValue(D,"projectionMatrix",b.projectionMatrix),Je.setValue(D,"viewMatrix",b.matrixWorldInverse);let At=Je.map.cameraPosition;At!==void 0&&At.setValue(D,Rn.setFromMatrixPosition(b.matrixWorld)),lt.logarithmicDepthBuffer&&Je.setValue(D,"logDepthBufFC",2/(Math.log(b.far+1)/Math.LN2)),(B.isMeshPhongMaterial||B.isMeshToonMaterial||B.isMeshLambertMaterial||B.isMeshBasicMaterial||B.isMeshStandardMaterial||B.isShaderMaterial)&&Je.setValue(D,"isOrthographic",b.isOrthographicCamera===!0),Q!==b&&(Q=b,ii=!0,wi=!0)}if(Se.needsLights&&(Ht.state.sunShadowMap.length>0&&Je.setValue(D,"sunShadowMap",Ht.state.sunShadowMap,De),Ht.state.directionalShadowMap.length>0&&Je.setValue(D,"directionalShadowMap",Ht.state.directionalShadowMap,De),Ht.state.spotShadowMap.length>0&&Je.setValue(D,"spotShadowMap",Ht.state.spotShadowMap,De),Ht.state.pointShadowMap.length>0&&Je.setValue(D,"pointShadowMap",Ht.state.pointShadowMap,De)),z.isSkinnedMesh){Je.setOptional(D,z,"bindMatrix"),Je.setOptional(D,z,"bindMatrixInverse");let dt=z.skeleton;dt&&(dt.boneTexture===null&&dt.computeBoneTexture(),Je.setValue(D,"boneTexture",dt.boneTexture,De))}z.isBatchedMesh&&(Je.setOptional(D,z,"batchingTexture"),Je.setValue(D,"batchingTexture",z._matricesTexture,De),Je.setOptional(D,z,"batchingIdTexture"),Je.setValue(D,"batchingIdTexture",z._indirectTexture,De),Je.setOptional(D,z,"batchingColorTexture"),z._colorsTexture!==null&&Je.setValue(D,"batchingColorTexture",z._colorsTexture,De));let _n=H.morphAttributes;if((_n.position!==void 0||_n.normal!==void 0||_n.color!==void 0)&&K.update(z,H,Ft),(ii||Se.receiveShadow!==z.receiveShadow)&&(Se.receiveShadow=z.receiveShadow,Je.setValue(D,"receiveShadow",z.receiveShadow)),(B.isMeshStandardMaterial||B.isMeshLambertMaterial||B.isMeshPhongMaterial)&&B.envMap===null&&L.environment!==null&&(Nt.envMapIntensity.value=L.environmentIntensity),Nt.dfgLUT!==void 0&&(Nt.dfgLUT.value=cy()),ii){if(Je.setValue(D,"toneMappingExposure",N.toneMappingExposure),Se.needsLights&&Od(Nt,wi),ue&&B.fog===!0&&re.refreshFogUniforms(Nt,ue),re.refreshMaterialUniforms(Nt,B,ge,Ce,A.state.transmissionRenderTarget[b.id]),Se.needsLights&&Se.numLightProbeGrids>0){let dt=E,At=0;for(let Vn of A.state.lightProbeGridArray)Vn.texture!==null&&(dt.textures[At]=Vn.texture,dt.min[At]=Vn.boundingBox.min,dt.max[At]=Vn.boundingBox.max,dt.resolution[At]=Vn.resolution,At++);for(let Vn in dt)dt[Vn].length=At;Nt.probesSH.value=dt.textures,Nt.probesMin.value=dt.min,Nt.probesMax.value=dt.max,Nt.probesResolution.value=dt.resolution}ds.upload(D,kc(Se),Nt,De)}if(B.isShaderMaterial&&B.uniformsNeedUpdate===!0&&(ds.upload(D,kc(Se),Nt,De),B.uniformsNeedUpdate=!1),B.isSpriteMaterial&&Je.setValue(D,"center",z.center),Je.setValue(D,"modelViewMatrix",z.modelViewMatrix),Je.setValue(D,"normalMatrix",z.normalMatrix),Je.setValue(D,"modelMatrix",z.matrixWorld),B.uniformsGroups!==void 0){let dt=B.uniformsGroups;for(let At=0,Vn=dt.length;At<Vn;At++){let Gc=dt[At];Ee.update(Gc,Ft),Ee.bind(Gc,Ft)}}return Ft}function Od(b,L){b.ambientLightColor.needsUpdate=L,b.lightProbe.needsUpdate=L,b.sunLights.needsUpdate=L,b.sunLightShadows.needsUpdate=L,b.directionalLights.needsUpdate=L,b.directionalLightShadows.needsUpdate=L,b.pointLights.needsUpdate=L,b.pointLightShadows.needsUpdate=L,b.spotLights.needsUpdate=L,b.spotLightShadows.needsUpdate=L,b.rectAreaLights.needsUpdate=L,b.hemisphereLights.needsUpdate=L}function Bd(b){return b.isMeshLambertMaterial||b.isMeshToonMaterial||b.isMeshPhongMaterial||b.isMeshStandardMaterial||b.isShadowMaterial||b.isShaderMaterial&&b.lights===!0}this.getActiveCubeFace=function(){return q},this.getActiveMipmapLevel=function(){return O},this.getRenderTarget=function(){return te},this.setRenderTargetTextures=function(b,L,H){let B=Re.get(b);B.__autoAllocateDepthBuffer=b.resolveDepthBuffer===!1,B.__autoAllocateDepthBuffer===!1&&(B.__useRenderToTexture=!1),Re.get(b.texture).__webglTexture=L,Re.get(b.depthTexture).__webglTexture=B.__autoAllocateDepthBuffer?void 0:H,B.__hasExternalTextures=!0},this.setRenderTargetFramebuffer=function(b,L){let H=Re.get(b);H.__webglFramebuffer=L,H.__useDefaultFramebuffer=L===void 0},this.setRenderTarget=function(b,L=0,H=0){te=b,q=L,O=H;let B=null,z=!1,ue=!1;if(b){let ce=Re.get(b);if(ce.__useDefaultFramebuffer!==void 0){de.bindFramebuffer(D.FRAMEBUFFER,ce.__webglFramebuffer),ee.copy(b.viewport),we.copy(b.scissor),Fe=b.scissorTest,de.viewport(ee),de.scissor(we),de.setScissorTest(Fe),W=-1;return}else if(ce.__webglFramebuffer===void 0)De.setupRenderTarget(b);else if(ce.__hasExternalTextures)De.rebindTextures(b,Re.get(b.texture).__webglTexture,Re.get(b.depthTexture).__webglTexture);else if(b.depthBuffer){let Oe=b.depthTexture;if(ce.__boundDepthTexture!==Oe){if(Oe!==null&&Re.has(Oe)&&(b.width!==Oe.image.width||b.height!==Oe.image.height))throw new Error("THREE.WebGLRenderer: Attached DepthTexture is initialized to the incorrect size.");De.setupDepthRenderbuffer(b)}}let ye=b.texture;(ye.isData3DTexture||ye.isDataArrayTexture||ye.isCompressedArrayTexture)&&(ue=!0);let Te=Re.get(b).__webglFramebuffer;b.isWebGLCubeRenderTarget?(Array.isArray(Te[L])?B=Te[L][H]:B=Te[L],z=!0):b.samples>0&&De.useMultisampledRTT(b)===!1?B=Re.get(b).__webglMultisampledFramebuffer:Array.isArray(Te)?B=Te[H]:B=Te,ee.copy(b.viewport),we.copy(b.scissor),Fe=b.scissorTest}else ee.copy(Ie).multiplyScalar(ge).floor(),we.copy(Qe).multiplyScalar(ge).floor(),Fe=tt;if(H!==0&&(B=X),de.bindFramebuffer(D.FRAMEBUFFER,B)&&de.drawBuffers(b,B),de.viewport(ee),de.scissor(we),de.setScissorTest(Fe),z){let ce=Re.get(b.texture);D.framebufferTexture2D(D.FRAMEBUFFER,D.COLOR_ATTACHMENT0,D.TEXTURE_CUBE_MAP_POSITIVE_X+L,ce.__webglTexture,H)}else if(ue){let ce=L;for(let ye=0;ye<b.textures.length;ye++){let Te=Re.get(b.textures[ye]);D.framebufferTextureLayer(D.FRAMEBUFFER,D.COLOR_ATTACHMENT0+ye,Te.__webglTexture,H,ce)}}else if(b!==null&&H!==0){let ce=Re.get(b.texture);D.framebufferTexture2D(D.FRAMEBUFFER,D.COLOR_ATTACHMENT0,D.TEXTURE_2D,ce.__webglTexture,H)}W=-1};function Vc(b){let L=Re.get(b);return(L.__readFormat!==b.format||L.__readType!==b.type)&&(L.__readFormat=b.format,L.__readType=b.type,L.__formatReadable=lt.textureFormatReadable(b.format),L.__typeReadable=lt.textureTypeReadable(b.type)),L}this.readRenderTargetPixels=function(b,L,H,B,z,ue,xe,ce=0){if(!(b&&b.isWebGLRenderTarget)){Le("WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let ye=Re.get(b).__webglFramebuffer;if(b.isWebGLCubeRenderTarget&&xe!==void 0&&(ye=ye[xe],Array.isArray(ye)&&(ye=ye[0])),ye){de.bindFramebuffer(D.FRAMEBUFFER,ye);try{let Te=b.textures[ce],Oe=Te.format,$e=Te.type;b.textures.length>1&&D.readBuffer(D.COLOR_ATTACHMENT0+ce);let Me=Vc(Te);if(Me.__formatReadable===!1){Le("WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(Me.__typeReadable===!1){Le("WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}L>=0&&L<=b.width-B&&H>=0&&H<=b.height-z&&D.readPixels(L,H,B,z,se.convert(Oe),se.convert($e),ue)}finally{let Te=te!==null?Re.get(te).__webglFramebuffer:null;de.bindFramebuffer(D.FRAMEBUFFER,Te)}}},this.readRenderTargetPixelsAsync=async function(b,L,H,B,z,ue,xe,ce=0){if(!(b&&b.isWebGLRenderTarget))throw new Error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");let ye=Re.get(b).__webglFramebuffer;if(b.isWebGLCubeRenderTarget&&xe!==void 0&&(ye=ye[xe],Array.isArray(ye)&&(ye=ye[0])),ye)if(L>=0&&L<=b.width-B&&H>=0&&H<=b.height-z){de.bindFramebuffer(D.FRAMEBUFFER,ye);let Te=b.textures[ce],Oe=Te.format,$e=Te.type;b.textures.length>1&&D.readBuffer(D.COLOR_ATTACHMENT0+ce);let Me=Vc(Te);if(Me.__formatReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in RGBA or implementation defined format.");if(Me.__typeReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in UnsignedByteType or implementation defined type.");let Ye=D.createBuffer();D.bindBuffer(D.PIXEL_PACK_BUFFER,Ye),D.bufferData(D.PIXEL_PACK_BUFFER,ue.byteLength,D.STREAM_READ),D.readPixels(L,H,B,z,se.convert(Oe),se.convert($e),0),D.bindBuffer(D.PIXEL_PACK_BUFFER,null);let yt=te!==null?Re.get(te).__webglFramebuffer:null;de.bindFramebuffer(D.FRAMEBUFFER,yt);let st=D.fenceSync(D.SYNC_GPU_COMMANDS_COMPLETE,0);return D.flush(),await tu(D,st,4),D.bindBuffer(D.PIXEL_PACK_BUFFER,Ye),D.getBufferSubData(D.PIXEL_PACK_BUFFER,0,ue),D.bindBuffer(D.PIXEL_PACK_BUFFER,null),D.deleteBuffer(Ye),D.deleteSync(st),ue}else throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: requested read bounds are out of range.")},this.copyFramebufferToTexture=function(b,L=null,H=0){let B=Math.pow(2,-H),z=Math.floor(b.image.width*B),ue=Math.floor(b.image.height*B),xe=L!==null?L.x:0,ce=L!==null?L.y:0;De.setTexture2D(b,0),D.copyTexSubImage2D(D.TEXTURE_2D,H,0,0,xe,ce,z,ue),de.unbindTexture()},this.copyTextureToTexture=function(b,L,H=null,B=null,z=0,ue=0){let xe,ce,ye,Te,Oe,$e,Me,Ye,yt,st=b.isCompressedTexture?b.mipmaps[ue]:b.image;if(H!==null)xe=H.max.x-H.min.x,ce=H.max.y-H.min.y,ye=H.isBox3?H.max.z-H.min.z:1,Te=H.min.x,Oe=H.min.y,$e=H.isBox3?H.min.z:0;else{let Je=Math.pow(2,-z);xe=Math.floor(st.width*Je),ce=Math.floor(st.height*Je),b.isDataArrayTexture?ye=st.depth:b.isData3DTexture?ye=Math.floor(st.depth*Je):ye=1,Te=0,Oe=0,$e=0}B!==null?(Me=B.x,Ye=B.y,yt=B.z):(Me=0,Ye=0,yt=0);let nt=se.convert(L.format),Ut=se.convert(L.type),Se;L.isData3DTexture?(De.setTexture3D(L,0),Se=D.TEXTURE_3D):L.isDataArrayTexture||L.isCompressedArrayTexture?(De.setTexture2DArray(L,0),Se=D.TEXTURE_2D_ARRAY):(De.setTexture2D(L,0),Se=D.TEXTURE_2D),de.activeTexture(D.TEXTURE0),de.pixelStorei(D.UNPACK_FLIP_Y_WEBGL,L.flipY),de.pixelStorei(D.UNPACK_PREMULTIPLY_ALPHA_WEBGL,L.premultiplyAlpha),de.pixelStorei(D.UNPACK_ALIGNMENT,L.unpackAlignment);let Ht=de.getParameter(D.UNPACK_ROW_LENGTH),Ke=de.getParameter(D.UNPACK_IMAGE_HEIGHT),Si=de.getParameter(D.UNPACK_SKIP_PIXELS),Ft=de.getParameter(D.UNPACK_SKIP_ROWS),fr=de.getParameter(D.UNPACK_SKIP_IMAGES);de.pixelStorei(D.UNPACK_ROW_LENGTH,st.width),de.pixelStorei(D.UNPACK_IMAGE_HEIGHT,st.height),de.pixelStorei(D.UNPACK_SKIP_PIXELS,Te),de.pixelStorei(D.UNPACK_SKIP_ROWS,Oe),de.pixelStorei(D.UNPACK_SKIP_IMAGES,$e);let ii=b.isDataArrayTexture||b.isData3DTexture,wi=L.isDataArrayTexture||L.isData3DTexture;if(b.isDepthTexture){let Je=Re.get(b),Nt=Re.get(L),_n=Re.get(Je.__renderTarget),dt=Re.get(Nt.__renderTarget);de.bindFramebuffer(D.READ_FRAMEBUFFER,_n.__webglFramebuffer),de.bindFramebuffer(D.DRAW_FRAMEBUFFER,dt.__webglFramebuffer);for(let At=0;At<ye;At++)ii&&(D.framebufferTextureLayer(D.READ_FRAMEBUFFER,D.COLOR_ATTACHMENT0,Re.get(b).__webglTexture,z,$e+At),D.framebufferTextureLayer(D.DRAW_FRAMEBUFFER,D.COLOR_ATTACHMENT0,Re.get(L).__webglTexture,ue,yt+At)),D.blitFramebuffer(Te,Oe,Te+xe,Oe+ce,Me,Ye,Me+xe,Ye+ce,D.DEPTH_BUFFER_BIT,D.NEAREST);de.bindFramebuffer(D.READ_FRAMEBUFFER,null),de.bindFramebuffer(D.DRAW_FRAMEBUFFER,null)}else if(z!==0||b.isRenderTargetTexture||Re.has(b)){let Je=Re.get(b),Nt=Re.get(L);de.bindFramebuffer(D.READ_FRAMEBUFFER,w),de.bindFramebuffer(D.DRAW_FRAMEBUFFER,G);for(let _n=0;_n<ye;_n++)ii?D.framebufferTextureLayer(D.READ_FRAMEBUFFER,D.COLOR_ATTACHMENT0,Je.__webglTexture,z,$e+_n):D.framebufferTexture2D(D.READ_FRAMEBUFFER,D.COLOR_ATTACHMENT0,D.TEXTURE_2D,Je.__webglTexture,z),wi?D.framebufferTextureLayer(D.DRAW_FRAMEBUFFER,D.COLOR_ATTACHMENT0,Nt.__webglTexture,ue,yt+_n):D.framebufferTexture2D(D.DRAW_FRAMEBUFFER,D.COLOR_ATTACHMENT0,D.TEXTURE_2D,Nt.__webglTexture,ue),z!==0?D.blitFramebuffer(Te,Oe,Te+xe,Oe+ce,Me,Ye,Me+xe,Ye+ce,D.COLOR_BUFFER_BIT,D.NEAREST):wi?D.copyTexSubImage3D(Se,ue,Me,Ye,yt+_n,Te,Oe,xe,ce):D.copyTexSubImage2D(Se,ue,Me,Ye,Te,Oe,xe,ce);de.bindFramebuffer(D.READ_FRAMEBUFFER,null),de.bindFramebuffer(D.DRAW_FRAMEBUFFER,null)}else wi?b.isDataTexture||b.isData3DTexture?D.texSubImage3D(Se,ue,Me,Ye,yt,xe,ce,ye,nt,Ut,st.data):L.isCompressedArrayTexture?D.compressedTexSubImage3D(Se,ue,Me,Ye,yt,xe,ce,ye,nt,st.data):D.texSubImage3D(Se,ue,Me,Ye,yt,xe,ce,ye,nt,Ut,st):b.isDataTexture?D.texSubImage2D(D.TEXTURE_2D,ue,Me,Ye,xe,ce,nt,Ut,st.data):b.isCompressedTexture?D.compressedTexSubImage2D(D.TEXTURE_2D,ue,Me,Ye,st.width,st.height,nt,st.data):D.texSubImage2D(D.TEXTURE_2D,ue,Me,Ye,xe,ce,nt,Ut,st);de.pixelStorei(D.UNPACK_ROW_LENGTH,Ht),de.pixelStorei(D.UNPACK_IMAGE_HEIGHT,Ke),de.pixelStorei(D.UNPACK_SKIP_PIXELS,Si),de.pixelStorei(D.UNPACK_SKIP_ROWS,Ft),de.pixelStorei(D.UNPACK_SKIP_IMAGES,fr),ue===0&&L.generateMipmaps===!0&&L.mipmapsAutoUpdate===!0&&D.generateMipmap(Se),de.unbindTexture()},this.initRenderTarget=function(b){Re.get(b).__webglFramebuffer===void 0&&De.setupRenderTarget(b)},this.initTexture=function(b){b.isCubeTexture?De.setTextureCube(b,0):b.isData3DTexture?De.setTexture3D(b,0):b.isDataArrayTexture||b.isCompressedArrayTexture?De.setTexture2DArray(b,0):De.setTexture2D(b,0),de.unbindTexture()},this.resetState=function(){q=0,O=0,te=null,de.reset(),oe.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return mn}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;let t=this.getContext();t.drawingBufferColorSpace=We._getDrawingBufferColorSpace(e),t.unpackColorSpace=We._getUnpackColorSpace()}};function v(i,e,...t){let n=document.createElement(i);return e&&hy(n,e),ma(n,t),n}function pt(i,e={},...t){let n=document.createElementNS("http://www.w3.org/2000/svg",i);for(let[s,r]of Object.entries(e))n.setAttribute(s,String(r));return ma(n,t),n}function _e(i,...e){i.replaceChildren(),ma(i,e)}function hy(i,e){for(let[t,n]of Object.entries(e))if(!(n==null||n===!1))if(t==="class")i.className=String(n);else if(t.startsWith("on")&&typeof n=="function")i.addEventListener(t.slice(2),n);else if(t==="style")for(let[s,r]of Object.entries(n))i.style.setProperty(s,r);else t==="value"||t==="checked"||t==="disabled"||t==="selected"?i[t]=n:i.setAttribute(t,n===!0?"":String(n))}function ma(i,e){for(let t of e)t==null||t===!1||(Array.isArray(t)?ma(i,t):i.append(t instanceof Node?t:String(t)))}function vi(i,e){let t=URL.createObjectURL(i),n=v("a",{href:t,download:e});document.body.append(n),n.click(),n.remove(),setTimeout(()=>URL.revokeObjectURL(t),6e4)}function ln(i){return Math.round(i).toString().replace(/\B(?=(\d{3})+(?!\d))/g," ")}function Ue(i,e=4){if(Number.isNaN(i))return"–";if(!Number.isFinite(i))return i>0?"∞":"−∞";if(i===0)return"0";let t=Math.abs(i);if(t>=1e6||t<1e-4)return i.toExponential(Math.max(0,e-2)).replace("-","−").replace("e+","e").replace("e−","e−");let n=Math.max(0,e-1-Math.floor(Math.log10(t))),s=i.toFixed(Math.min(n,8));return(s.includes(".")?s.replace(/\.?0+$/,""):s).replace("-","−")}function qt(i){return i>=999500?`${Ue(i/1e6,3)} M`:i>=9995?`${Ue(i/1e3,3)} k`:ln(i)}function Vu(i){return i>=1e9?`${Ue(i/1e9,3)} GB`:i>=1e6?`${Ue(i/1e6,3)} MB`:i>=1e3?`${Ue(i/1e3,3)} kB`:`${i} B`}function ga(i){if(i<60)return`${Ue(i,i<10?2:3)} s`;let e=Math.round(i%60);return`${Math.floor(i/60)} min ${e.toString().padStart(2,"0")} s`}function ei(i){let e=[["_m_s2","m/s²"],["_m_s","m/s"],["_deg_s","°/s"],["_per_m2","1/m²"],["_per_m","1/m"],["_mm_h","mm/h"],["_g_m3","g/m³"],["_kg_m3","kg/m³"],["_rpm","rpm"],["_mrad","mrad"],["_rad","rad"],["_deg","°"],["_nm","nm"],["_mm","mm"],["_um","µm"],["_cm","cm"],["_km","km"],["_ns","ns"],["_us","µs"],["_ms","ms"],["_hz","Hz"],["_khz","kHz"],["_mhz","MHz"],["_kg","kg"],["_m2","m²"],["_m3","m³"],["_percent","%"],["_db","dB"],["_w","W"],["_j","J"],["_s","s"],["_m","m"]];for(let[t,n]of e)if(i.endsWith(t)&&i.length>t.length)return[zu(i.slice(0,-t.length)),n];return[zu(i),""]}function zu(i){return i.replace(/_xyz$/,"").replaceAll("_"," ")}var uy={tree:"M12 3c4 2.5 6.5 6 6.5 9.5a6.5 6.5 0 0 1-13 0C5.5 9 8 5.5 12 3zM12 9v12M12 15l3-2.5M12 13l-3-2.5",play:"M7 5l12 7-12 7z",pause:"M8 5v14M16 5v14",stop:"M6 6h12v12H6z",scan:"M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7.8 7.8a6 6 0 0 0 0 8.4M16.2 7.8a6 6 0 0 1 0 8.4M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14",three:"M6 7h12M6 12h12M6 17h12M3 7h.01M3 12h.01M3 17h.01",layers:"M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",eye:"M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7-10-7-10-7zM12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",hidden:"M3 3l18 18M10.6 5.1A10.6 10.6 0 0 1 12 5c6.5 0 10 7 10 7a17 17 0 0 1-3.2 4M6.6 6.6A17 17 0 0 0 2 12s3.5 7 10 7a10 10 0 0 0 5-1.3M9.9 9.9a3 3 0 0 0 4.2 4.2",trash:"M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",export:"M12 15V3M8 7l4-4 4 4M4 14v6h16v-6",save:"M12 3v12M8 11l4 4 4-4M4 14v6h16v-6",open:"M3 7v12h18V9h-9l-2-2z",fit:"M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M9 12h6M12 9v6",top:"M5 5h14v14H5zM12 9v6M9.5 12.5L12 15l2.5-2.5",side:"M5 5h14v14H5zM9 12h6M12.5 9.5L15 12l-2.5 2.5",perspective:"M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",fly:"M3 12l18-8-6 17-4-7zM11 14l10-10",orbit:"M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 5c5.5 0 9 3.1 9 7s-3.5 7-9 7-9-3.1-9-7c0-2 1-3.8 2.6-5M5.6 3.5V7H9",clip:"M4 8V4h4M20 8V4h-4M4 16v4h4M20 16v4h-4M8 8h8v8H8z",measure:"M3 16L16 3l5 5L8 21zM7 12l2 2M10 9l2 2M13 6l2 2",camera:"M3 7h4l2-3h6l2 3h4v12H3zM12 13m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",film:"M3 5h18v14H3zM7 5v14M17 5v14M3 9.5h4M3 14.5h4M17 9.5h4M17 14.5h4",link:"M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1-1",pack:"M12 3l8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10M8 5l8 4",compare:"M12 3v18M4 6h5v12H4zM15 6h5v12h-5z",learn:"M4 15c3-6 5-6 8 0s5 6 8 0M12 7m-4 0a4 2.5 0 1 0 8 0a4 2.5 0 1 0-8 0M12 18m-5 0a5 2 0 1 0 10 0a5 2 0 1 0-10 0",sun:"M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",moon:"M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",help:"M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 16.8h.01",close:"M6 6l12 12M18 6L6 18",check:"M5 12.5l4.5 4.5L19 7.5",warn:"M12 4L2.5 20h19zM12 10v5M12 17.6h.01",plus:"M12 5v14M5 12h14",minus:"M5 12h14",down:"M6 9l6 6 6-6",right:"M9 6l6 6-6 6",edit:"M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",search:"M11 11m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M16 16l5 5",image:"M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 5M15.5 9m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0",palette:"M12 3a9 9 0 1 0 0 18c1.6 0 2-1 1.5-2-.7-1.3.1-2.8 1.5-2.8H18a3 3 0 0 0 3-3C21 7.400 17 3 12 3zM8 9h.01M12 7h.01M16 9h.01M7.500 13h.01",pulse:"M2 13h4l2-6 3 12 3-15 2.500 9H22",world:"M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",undo:"M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12",text:"M5 6h14M5 11h9M5 16h14M5 21h6",form:"M4 5h16v5H4zM4 14h16v5H4zM7 7.500h4M7 16.500h6",panelLeft:"M3 4h18v16H3zM9 4v16",panelRight:"M3 4h18v16H3zM15 4v16",sensor:"M5 20h14M8 20v-4h8v4M7 8h10v8H7zM9 8V5h6v3M2 9l3 1M22 9l-3 1"};function ve(i,e=18){return pt("svg",{viewBox:"0 0 24 24",width:e,height:e,fill:"none",stroke:"currentColor","stroke-width":1.7,"stroke-linecap":"round","stroke-linejoin":"round","aria-hidden":"true",class:"icon"},pt("path",{d:uy[i]}))}var Gu="understory-token",yn=class extends Error{constructor(t,n){super(n.sentence);this.status=t;this.problem=n}status;problem},or="";function Hu(){let i=new URLSearchParams(location.hash.slice(1)),e=i.get("token");try{e&&localStorage.setItem(Gu,e),or=e??localStorage.getItem(Gu)??""}catch{or=e??""}let t=i.get("view");return history.replaceState(null,"",location.pathname+(t?`#view=${t}`:"")),{token:or,view:t}}function Wu(){return or}function dy(i,e={}){let n=Object.entries(e).filter(s=>s[1]!==null&&s[1]!==void 0).map(([s,r])=>`${s}=${encodeURIComponent(r)}`).join("&");return`/api/${i}${n?`?${n}`:""}`}async function _t(i,e,t={}){let n={"X-Understory-Token":or},s;t.body!==void 0&&(n["Content-Type"]="application/json",s=JSON.stringify(t.body));let r=await fetch(dy(e,t.query),{method:i,headers:n,body:s,signal:t.signal,cache:"no-store",credentials:"omit"});if(r.ok)return r;throw new yn(r.status,await fy(r))}async function fy(i){let e=await i.text().catch(()=>"");try{let n=JSON.parse(e);if(typeof n.sentence=="string")return n}catch{}return{sentence:e.trim()||(i.status===401?"this page has no valid token: open the address that `understory studio` printed":`the program answered with status ${i.status}`),line:null,column:null,end_column:null}}async function mt(i,e,t){return(await _t("GET",i,{query:e,signal:t})).json()}async function It(i,e,t){let s=await(await _t(i,e,{body:t})).text();return s?JSON.parse(s):void 0}async function ar(i,e,t){let n=await _t("GET",i,{query:e}),s=/filename="([^"]+)"/.exec(n.headers.get("Content-Disposition")??"");return{bytes:await n.blob(),name:s?.[1]??t}}function En(i){return i instanceof yn?i.problem.sentence:i instanceof TypeError?"the program does not answer; is it still running?":i instanceof Error?i.message:String(i)}function Xu(i){let e=JSON.stringify(i,(s,r)=>typeof r=="number"?Number(r.toPrecision(7)):r),t=new TextEncoder().encode(e),n="";for(let s of t)n+=String.fromCharCode(s);return btoa(n).replaceAll("+","-").replaceAll("/","_").replace(/=+$/,"")}function qu(i){try{let e=atob(i.replaceAll("-","+").replaceAll("_","/")),t=new TextDecoder().decode(Uint8Array.from(e,r=>r.charCodeAt(0))),n=JSON.parse(t);return typeof n.scenario=="string"&&typeof n.view=="object"&&Array.isArray(n.view.target)&&n.view.target.every(Number.isFinite)?n:null}catch{return null}}function $u(i){let e=Xu(i),t=e.length<=24e3,n=t?e:Xu({...i,text:void 0});return{address:`${location.origin}${location.pathname}#view=${n}`,whole:t}}var ot=class{#e;#t=new Set;constructor(e){this.#e=e}get value(){return this.#e}set value(e){let t=this.#e;if(!Object.is(t,e)){this.#e=e;for(let n of[...this.#t])n(e,t)}}patch(e){this.value={...this.#e,...e}}touch(){for(let e of[...this.#t])e(this.#e,this.#e)}on(e){return this.#t.add(e),()=>this.#t.delete(e)}watch(e){return e(this.#e),this.on(e)}};var py=`
precision highp float;
in float value;
in float time;
uniform vec2 limits;
uniform float categories;
uniform float size;
uniform float metres;
uniform float pixels;
uniform vec3 low;
uniform vec3 high;
uniform vec2 span;
uniform sampler2D colours;
out vec3 tint;

vec3 colour() {
  if (isnan(value)) return vec3(0.45);
  if (categories > 0.5) {
    float number = mod(floor(value + 0.5), 1024.0);
    return texture(colours, vec2((number + 0.5) / 1024.0, 0.5)).rgb;
  }
  float along = clamp((value - limits.x) / max(limits.y - limits.x, 1e-30), 0.0, 1.0);
  return texture(colours, vec2((along * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  bool shown = all(greaterThanEqual(world.xyz, low)) && all(lessThanEqual(world.xyz, high));
  shown = shown && !(time < span.x) && !(time > span.y);
  tint = colour();
  vec4 eye = viewMatrix * world;
  gl_Position = shown ? projectionMatrix * eye : vec4(2.0, 2.0, 2.0, 1.0);
  // Points lie on surfaces, and leaves are drawn coarser than they are: a little nearer, to be seen.
  float away = length(eye.xyz);
  vec4 nearer = projectionMatrix * vec4(eye.xyz * (1.0 - min(0.012, 0.8 / away)), 1.0);
  if (shown) gl_Position.z = nearer.z / nearer.w * gl_Position.w;
  float real = metres * pixels * projectionMatrix[1][1] / gl_Position.w;
  gl_PointSize = clamp(metres > 0.0 ? max(real, 1.0) : size, 1.0, 64.0);
}
`,my=`
precision highp float;
uniform float opacity;
uniform float round;
in vec3 tint;
out vec4 pixel;

void main() {
  vec2 offset = gl_PointCoord - 0.5;
  if (round > 0.5 && dot(offset, offset) > 0.25) discard;
  pixel = vec4(tint, opacity);
}
`,_i=1e30;function Yu(){return new Pt({glslVersion:Tn,vertexShader:py,fragmentShader:my,uniforms:{limits:{value:new ze(0,1)},categories:{value:0},size:{value:2},metres:{value:0},pixels:{value:500},low:{value:new I(-_i,-_i,-_i)},high:{value:new I(_i,_i,_i)},span:{value:new ze(-_i,_i)},colours:{value:null},opacity:{value:1},round:{value:0}}})}function Zu(i){let e=new Ii(i,i.length/4,1,Vt,Dt);return e.minFilter=ct,e.magFilter=ct,e.needsUpdate=!0,e}var gy={u8:Uint8Array,u16:Uint16Array,u32:Uint32Array,f32:Float32Array,f64:Float64Array};function Ju(i,e){if(i.byteLength<e+16)return null;if(i.getUint32(e,!0)!==826430293)throw new Error("the program sent something that is no block");return 16+i.getUint32(e+4,!0)+Number(i.getBigUint64(e+8,!0))}function An(i,e=0){let t=new DataView(i),n=Ju(t,e);if(n===null||e+n>i.byteLength)throw new Error("the program's answer ends too early");let s=t.getUint32(e+4,!0),r=JSON.parse(new TextDecoder().decode(new Uint8Array(i,e+16,s))),o=e+16+s,a=l=>r.columns.find(c=>c.name===l);return{header:r,has:l=>a(l)!==void 0,column(l){let c=a(l);if(!c)throw new Error(`the program's answer has no column ${l}`);return new gy[c.kind](i,o+c.offset,c.rows*c.width)}}}async function*vc(i){let e=i.body?.getReader();if(!e)return;let t=[],n=0,s=16,r=()=>{let o=new Uint8Array(n),a=0;for(let l of t)o.set(l,a),a+=l.length;return t=[o],o};try{for(;;){let{done:o,value:a}=await e.read();if(o)break;for(t.push(a),n+=a.length;n>=s;){let l=r(),c=Ju(new DataView(l.buffer),0);if(c===null)break;if(n<c){s=c;break}yield An(l.buffer.slice(0,c)),t=[l.slice(c)],n-=c,s=16}}}finally{e.cancel().catch(()=>{})}if(n>0)throw new Error("the program's answer ends in the middle of a block")}function Ku(i,e){let t=Math.max(1,i/1e5),n=new Float32Array(Math.ceil(i/t)+1),s=0;for(let r=0;r<i;r+=t){let o=e(Math.floor(r));Number.isFinite(o)&&(n[s++]=o)}return n.subarray(0,s).sort()}function _c(i,e){if(i.length===0)return Number.NaN;let t=Math.max(0,Math.min(100,e))/100*(i.length-1),n=Math.floor(t),s=Math.min(n+1,i.length-1);return i[n]+(i[s]-i[n])*(t-n)}function ju(i,e,t,n){let s=new Array(n).fill(0);if(!(t>e))return s;for(let r of i){let o=Math.floor((r-e)/(t-e)*n);o>=0&&o<n?s[o]++:r===t&&s[n-1]++}return s}function lr(i,e,t){let n=e-i;if(!(n>0)||!Number.isFinite(n))return[];let s=n/t,r=10**Math.floor(Math.log10(s)),o=[1,2,2.5,5,10].map(l=>l*r).find(l=>l>=s)??r*10,a=[];for(let l=Math.ceil(i/o)*o;l<=e+o*1e-6;l+=o)a.push(Math.abs(l)<o*1e-6?0:l);return a}var tn=65536;function yy(i){let e=(n,s)=>s===0?n:e(s,n%s),t=Math.max(1,Math.round(i*.6180339887));for(;e(i,t)!==1;)t++;return t}var vy=(i,e,t)=>i*t%e,ps=class{group=new ft;chunks=[];count=0;#e;#t=(e,t)=>t.fill(0);#n=null;constructor(e){this.#e=e}append(e){let t=0,n=e.length/3;for(;t<n;){let s=this.chunks[this.chunks.length-1];(!s||s.count===tn)&&(s=this.#i());let r=Math.min(tn-s.count,n-t),o=e.subarray(t*3,(t+r)*3);s.positions.set(o,s.count*3),_y(s,o),s.count+=r,this.count+=r,t+=r,s.drawn.userData.stale=!0}}flush(e){let t=0;for(let n of this.chunks)n.drawn.userData.fresh=!1;for(let n=0;n<this.chunks.length&&t<e;n++){let s=this.chunks[n];s.drawn.userData.stale===!0&&(s.drawn.userData.stale=!1,s.drawn.userData.fresh=!0,this.#s(s,n),t++)}return t}get stale(){return this.chunks.some(e=>e.drawn.userData.stale===!0)}use(e,t,n=0){this.#t=e,this.#n=t;for(let s=Math.floor(n/tn);s<this.chunks.length;s++)this.chunks[s].drawn.userData.stale=!0}drawFresh(){let e=0;for(let t of this.chunks)t.drawn.visible=t.drawn.userData.fresh===!0,t.drawn.visible&&(t.drawn.geometry.setDrawRange(0,t.count),e+=t.count);return e}draw(e,t){let n=0;for(let s of this.chunks){let r=s.drawn.geometry.getAttribute("position")?.count??0,o=Math.round(r*e),a=Math.round(r*t);s.drawn.visible=a>o,s.drawn.geometry.setDrawRange(o,a-o),n+=a-o}return n}position(e){let t=this.chunks[Math.floor(e/tn)],n=e%tn;return!t||n>=t.count?null:[t.positions[n*3],t.positions[n*3+1],t.positions[n*3+2]]}height(e){let t=this.chunks[Math.floor(e/tn)],n=e%tn;return t&&n<t.count?t.positions[n*3+2]:null}bounds(){if(this.count===0)return null;let e=[1/0,1/0,1/0],t=[-1/0,-1/0,-1/0];for(let n of this.chunks)for(let s=0;s<3;s++)e[s]=Math.min(e[s],n.low[s]),t[s]=Math.max(t[s],n.high[s]);return{low:e,high:t}}bytes(){return this.chunks.length*tn*16}dispose(){for(let e of this.chunks)e.drawn.geometry.dispose();this.group.removeFromParent()}#i(){let e=new zt,t=new ks(e,this.#e);t.frustumCulled=!1,t.visible=!1;let n={count:0,positions:new Float32Array(tn*3),low:[1/0,1/0,1/0],high:[-1/0,-1/0,-1/0],drawn:t,values:new Float32Array(tn),times:null};return this.chunks.push(n),this.group.add(t),n}#s(e,t){let{geometry:n}=e.drawn,s=yy(e.count),r=e.values.subarray(0,e.count);this.#t(t*tn,r),xc(n,"value",bc(r,1,s),1);let o=n.getAttribute("position")?.count??0;o!==e.count&&xc(n,"position",bc(e.positions.subarray(0,e.count*3),3,s),3);let a=new Float32Array(e.count);this.#n&&this.#n(t*tn,a),(this.#n||e.times||o!==e.count)&&xc(n,"time",this.#n?bc(a,1,s):a,1),e.times=this.#n?a:null}};function xc(i,e,t,n){let s=i.getAttribute(e);if(s&&s.array.length===t.length){s.array.set(t),s.needsUpdate=!0;return}s&&i.dispose();let r=new Mt(t,n);r.setUsage(er),i.setAttribute(e,r)}function bc(i,e,t){let n=new Float32Array(i.length),s=i.length/e;for(let r=0;r<s;r++){let o=vy(r,s,t)*e;for(let a=0;a<e;a++)n[r*e+a]=i[o+a]}return n}function _y(i,e){for(let t=0;t<e.length;t+=3)for(let n=0;n<3;n++){let s=e[t+n];s<i.low[n]&&(i.low[n]=s),s>i.high[n]&&(i.high[n]=s)}}var cr=class{#e=new Float32Array(1024);length=0;put(e,t){let n=e+t.length;if(n>this.#e.length){let s=new Float32Array(Math.max(n,Math.ceil(this.#e.length*1.6)));s.set(this.#e.subarray(0,this.length)),this.#e=s}e>this.length&&this.#e.fill(Number.NaN,this.length,e),this.#e.set(t,e),this.length=Math.max(this.length,n)}get(e){return e<this.length?this.#e[e]:Number.NaN}all(){return this.#e.subarray(0,this.length)}copy(e,t){let n=this.#e.subarray(e,Math.min(e+t.length,this.length));t.set(n),t.fill(Number.NaN,n.length)}};var Mc=16e6,xy=["range_m","intensity"],ya=class{card;visible=!0;number;cloud;group=new ft;#e=new Map;#t=new Map;#n=new Map;#i;#s;#a=new AbortController;trouble=null;cut=!1;streaming=!1;firstPoints=0;fresh=!1;made=null;painted=null;#r=new Map;#l=new Map;constructor(e,t,n,s,r=()=>1/0){this.#s=r,this.card=e,this.number=t,this.cloud=new ps(n),this.group.add(this.cloud.group),this.#i=s}get timeBase(){return Math.abs(this.card.interval_s[0])>1e5?this.card.interval_s[0]:0}get id(){return this.card.id}place(e){this.group.position.copy(this.offset(e)),this.group.updateMatrixWorld(!0)}offset(e){let{offset_m:t}=this.card;return new I(t[0]-e[0],t[1]-e[1],t[2]-e[2])}async stream(){if(!this.streaming){this.streaming=!0,this.cut=!1;try{for(let e=0;;e++)try{let t=await _t("GET",`layers/${this.id}/stream`,{query:{columns:xy.join(","),from:this.cloud.count},signal:this.#a.signal});for await(let n of vc(t)){if(this.#s()<=0){this.cut=!0;break}n.header.kind==="points"?this.#u(n):n.header.kind==="end"&&(this.card=n.header.extra)}this.trouble=this.cut?`the page holds ${Mc/1e6} million points: the rest of this layer is not shown; figures and exports have all of it. Remove layers to see more`:null;break}catch(t){if(this.#a.signal.aborted)return;if(t instanceof yn&&t.status<500||e>=8)throw t;await new Promise(n=>setTimeout(n,500*(e+1)))}}catch(e){this.trouble=e instanceof Error?e.message:String(e)}finally{this.streaming=!1,this.#i(this)}}}resume(){this.cut&&this.#s()>0&&this.stream()}#u(e){let{first:t}=e.header.extra,n=e.column("xyz");if(t!==this.cloud.count)throw new Error(`points ${t} came after point ${this.cloud.count}`);this.cloud.count===0&&n.length>0&&(this.firstPoints=performance.now()),this.card={...this.card,offset_m:e.header.offset_m},this.cloud.append(n);for(let{name:s}of e.header.columns)s!=="xyz"&&s!=="row"&&this.#o(s,t,e.column(s));this.#i(this)}#o(e,t,n){let s=e==="time_s"?this.timeBase:0;this.#c(e).put(t,s===0?n:Float64Array.from(n,r=>r-s))}#c(e){let t=this.#e.get(e);return t||(t=new cr,this.#e.set(e,t)),t}column(e){return this.#e.get(e)??null}version(e){return this.#l.get(e)??0}set(e,t){this.#l.set(e,this.version(e)+1);let n=new cr;n.put(0,t),this.#e.set(e,n),this.#t.delete(e)}names=null;async#h(){this.names||["waiting","building"].includes(this.card.state)||(this.names=await mt(`layers/${this.id}/names`),this.#i(this))}async need(e){if(Qu.has(e)||e.startsWith("difference")||!this.card.columns.includes(e)||((e==="object"||e==="material")&&await this.#h().catch(()=>{}),this.#c(e).length>=this.cloud.count||this.#r.get(e)===this.cloud.count))return;let t=this.#n.get(e);if(t)return t;this.#r.set(e,this.cloud.count);let n=this.#p(e).finally(()=>this.#n.delete(e));return this.#n.set(e,n),n}async#p(e){let t=await _t("GET",`layers/${this.id}/columns`,{query:{columns:e,from:this.#c(e).length},signal:this.#a.signal});for await(let n of vc(t)){let{first:s}=n.header.extra;n.has(e)&&this.#o(e,s,n.column(e))}this.#i(this)}values(e){if(e==="height_m"){let n=this.card.offset_m[2];return(s,r)=>{for(let o=0;o<r.length;o++)r[o]=(this.cloud.position(s+o)?.[2]??Number.NaN)+n}}if(e==="layer")return(n,s)=>s.fill(this.number);let t=this.#e.get(e);return(n,s)=>t?t.copy(n,s):s.fill(Number.NaN)}value(e){if(e==="height_m"){let n=this.card.offset_m[2];return s=>(this.cloud.height(s)??Number.NaN)+n}if(e==="layer")return()=>this.number;let t=this.#e.get(e);return n=>t?t.get(n):Number.NaN}sample(e){let t=this.#t.get(e),n=Qu.has(e)?this.cloud.count:this.#e.get(e)?.length??0;if(t&&(t.length===n||this.streaming&&n>t.length&&n<t.length*1.1))return t.sorted;let s=Ku(n,this.value(e));return this.#t.set(e,{length:n,sorted:s}),s}dispose(){this.#a.abort(),this.cloud.dispose(),this.group.removeFromParent()}},Qu=new Set(["height_m","layer"]);var va=class{connection=new ot({state:"connecting",since:performance.now()});onNews=()=>{};onRestart=()=>{};#e=null;#t=null;#n=0;begin(e){this.#e=e.start,this.#i(),setInterval(()=>{this.#t?.readyState===WebSocket.OPEN&&performance.now()-this.#n>15e3&&this.#t.close()},2e3)}#i(){let e=new WebSocket(`ws://${location.host}/api/live`,["understory",Wu()]);this.#t=e,e.addEventListener("open",()=>{this.#n=performance.now(),this.connection.value={state:"open",since:performance.now()}}),e.addEventListener("message",t=>{this.#n=performance.now(),this.onNews(JSON.parse(String(t.data)))}),e.addEventListener("close",()=>{this.#t===e&&(this.#t=null,this.connection.value={state:"lost",since:performance.now()},this.#s())})}async#s(){for(;;){try{let e=await mt("hello");e.start!==this.#e&&(this.#e=e.start,this.onRestart()),this.#i();return}catch(e){e instanceof yn&&e.status===401&&(this.connection.value={state:"refused",since:performance.now()})}await new Promise(e=>setTimeout(e,1e3))}}};var _a={colourBy:"height_m",scale:"viridis",reversed:!1,percentiles:[1,99],limits:null,size:2,metric:!1,round:!1,opacity:1,eyeDome:.6,world:1,sensors:!0,beams:!1,path:!0,weather:!0,cutaway:!1,through:!1,clip:{on:!1,low:[-50,-50,-5],high:[50,50,25]}};var xa=class{live=new va;hello=new ot(null);library=new ot(null);document=new ot(null);world=new ot(null);building=new ot({busy:!1,problem:null,remark:null});layers=new ot([]);active=new ot(null);jobs=new ot([]);look=new ot(_a);hover=new ot(null);picked=new ot(null);chosenObject=new ot(0);comparing=new ot({mode:"off",a:null,b:null,at:.5});time=new ot({at:null,window:.1});notice=new ot(null);grew=new ot(0);viewport=null;material=Yu();clouds=new ft;#e=0;#t=null;#n=!1;#i=[];#s=!1;#a;#r=-1;#l=!1;#u=Promise.resolve();#o=new Set;get origin(){return this.#t&&this.look.value.world===0?this.#t:this.world.value?.offset_m??this.layers.value[0]?.card.offset_m??[0,0,0]}lookElsewhere(e){let t=this.world.value,n=e.cloud.bounds();if(!n||!t)return!1;let{offset_m:s}=e.card;if(![0,1,2].some(o=>{let a=Math.max(100,...t.bounds_m[1].map((h,d)=>h-t.bounds_m[0][d])),l=n.low[o]+s[o]-t.offset_m[o],c=n.high[o]+s[o]-t.offset_m[o];return l>t.bounds_m[1][o]+a||c<t.bounds_m[0][o]-a}))return!1;this.#t=[...s],this.#n=!0,this.look.patch({world:0,sensors:!1,path:!1});for(let o of this.layers.value)o.place(this.origin);return!0}async undo(){let e=this.#i.pop();if(e===void 0)return this.say("info","there is nothing to undo");this.#s=!0,await this.write(e),this.#s=!1}layer(e){return this.layers.value.find(t=>t.id===e)??null}get activeLayer(){return this.layer(this.active.value)??this.layers.value[this.layers.value.length-1]??null}say(e,t){this.notice.value={kind:e,text:t}}async attempt(e){try{return await e()}catch(t){return this.say("error",En(t)),null}}async begin(){let[e,t,n]=[mt("hello"),mt("document"),mt("library")];for(let r of[t,n])r.catch(()=>{});let s=e.then(r=>{this.hello.value=r,this.live.onNews=o=>this.#y(o),this.live.onRestart=()=>location.reload(),this.live.begin(r)});this.loadWorld(),await s,n.then(r=>this.library.value=r),this.take(await t),await n}take(e){let t=this.document.value;return t&&t.name!==e.name?(this.#i.length=0,this.#c(e.name)):t&&t.text!==e.text&&!this.#s&&(this.#i.push(t.text),this.#i.length>100&&this.#i.shift()),this.document.value=e,e.good_revision!==this.#r&&e.good_revision>0&&this.loadWorld(),e}#c(e){for(let t of this.layers.value)t.card.kind==="scan"&&(t.visible=t.card.source===e);this.picked.value=null,this.comparing.patch({mode:"off"}),this.layers.touch(),this.grew.value++}lookAlone(e){for(let t of this.layers.value)t.visible=t===e;this.#n=!0,this.look.patch({world:0,sensors:!1,path:!1,...this.look.value.colourBy==="layer"?{colourBy:"height_m"}:{}}),this.layers.touch(),this.grew.value++}#h(){this.#n&&(this.#n=!1,this.#t=null,this.look.patch({world:1,sensors:!0,path:!0}))}async open(e){let t=await this.attempt(()=>It("POST","document/open",e));return t&&this.take(t),t!==null}#p(e){let t=this.#u.then(async()=>{try{return this.take(await e(this.document.value?.revision??0))}catch(n){return n instanceof yn&&n.status===409&&this.take(await mt("document")),this.say("error",En(n)),null}});return this.#u=t.catch(()=>null),t}write(e){return this.#p(t=>It("PUT","document",{revision:t,text:e}))}edit(e){return this.#p(t=>It("POST","document/edit",{revision:t,edits:e}))}async loadWorld(){if(!this.#l){this.#l=!0;try{let e=this.document.value?.good_revision??null;do{this.building.value={busy:!0,problem:null,remark:null};try{let t=this.viewport?.software?6e4:25e5,[n,s]=await Promise.all([mt("world"),_t("GET","world/geometry",{query:{budget:t}})]),r=An(await s.arrayBuffer());this.viewport?.world.show(r,n.materials);let o=this.document.value?.name??null,a=this.#a===void 0;(a||this.#a!==null&&o!==this.#a)&&(this.#h(),this.look.patch({cutaway:n.closed})),(a||o!==null)&&(this.#a=o),this.#f(n),this.world.value=n,this.#r=e??n.revision,this.building.value={busy:!1,problem:null,remark:this.viewport?.world.extra?.sentence??null}}catch(t){this.building.value={busy:!1,problem:En(t),remark:null},this.#r=e??this.document.value?.good_revision??this.#r}e=this.document.value?.good_revision??null}while(e!==null&&e>0&&e!==this.#r)}finally{this.#l=!1}}}#f(e){let t=this.viewport?.world.shared;if(!t)return;let n=e.sensors[0]?.world_from_sensor;n&&t.viewer.value.set(n[12],n[13],n[14]);let[s,r]=e.bounds_m,o=[0,1].map(a=>(r[a]-s[a])/2);e.closed||Math.min(...o)<15?t.ground.value.set(0,0,1e30,1e30):t.ground.value.set((s[0]+r[0])/2,(s[1]+r[1])/2,o[0],o[1])}async scan(e={}){this.#h();let t=await this.attempt(()=>It("POST","scans",e));if(!t)return null;let n=this.adopt(t);return n.made=e,n}adopt(e){let t=this.#d(e);return this.active.value=e.id,this.look.value.colourBy==="difference"&&this.look.patch({colourBy:"height_m",scale:"viridis",limits:null}),t}#d(e){let t=this.layer(e.id);if(t)return t.card={...e,offset_m:t.cloud.count>0?t.card.offset_m:e.offset_m},t;let n=new ya(e,this.#e++,this.material,s=>this.#g(s),()=>Mc-this.layers.value.reduce((s,r)=>s+r.cloud.count,0));return this.clouds.add(n.group),this.layers.value=[...this.layers.value,n],n.stream(),n}#g(e){this.#o.size===0&&setTimeout(()=>{for(let t of this.#o)t.place(this.origin);this.#o.clear(),this.grew.value++},30),this.#o.add(e)}async remove(e){await this.attempt(()=>It("DELETE",`layers/${e.id}`)),this.#m([e.id])}#m(e){if(e.length===0)return;for(let s of this.layers.value)e.includes(s.id)&&s.dispose();let{a:t,b:n}=this.comparing.value;(e.includes(t??-1)||e.includes(n??-1))&&this.comparing.patch({mode:"off",a:null,b:null}),this.picked.value&&e.includes(this.picked.value.layer.id)&&(this.picked.value=null),this.hover.value&&e.includes(this.hover.value.layer.id)&&(this.hover.value=null),this.layers.value=this.layers.value.filter(s=>!e.includes(s.id)),e.includes(this.active.value??-1)&&(this.active.value=this.layers.value[this.layers.value.length-1]?.id??null);for(let s of this.layers.value)s.resume();this.grew.value++}#y(e){if(e.layers.length>0){for(let t of e.layers)this.#d(t);this.active.value===null&&(this.active.value=this.layers.value[this.layers.value.length-1]?.id??null),this.layers.touch()}if(this.#m(e.gone),e.jobs.length>0){let t=new Map(this.jobs.value.map(n=>[n.id,n]));for(let n of e.jobs)t.set(n.id,n);this.jobs.value=[...t.values()]}e.revision>(this.document.value?.revision??0)&&this.document.value&&this.#u.then(async()=>{e.revision>(this.document.value?.revision??0)&&this.take(await mt("document"))})}};var Sc=new Map;function ed(i,e){return _t("GET",i,{query:e}).then(t=>t.blob()).then(t=>createImageBitmap(t)).catch(()=>null)}async function ba(i,e,t){let n=`${e} ${JSON.stringify(t??{})}`,s=Sc.get(n);s||(s=ed(e,t),Sc.set(n,s));let r=await s;if(!r)return Sc.delete(n),!1;let o=i.getContext("2d");if(!o)return!1;let a=Math.max(i.width/r.width,i.height/r.height),l=r.width*a,c=r.height*a;return o.imageSmoothingQuality="high",o.drawImage(r,(i.width-l)/2,(i.height-c)/2,l,c),!0}async function td(i,e,t){let n=await ed(e,t);return n?(i.width=n.width,i.height=n.height,i.getContext("2d")?.drawImage(n,0,0),!0):!1}var Ma=null;function by(){Ma?.end()}function ti(i,e,t={}){let n=Ma?.menu.dataset.of===i.dataset.menu&&i.dataset.menu!==void 0;if(by(),n)return;i.dataset.menu??=String(Math.random());let s=v("div",{role:"menu"}),r=t.search?v("input",{type:"search",placeholder:t.search,"aria-label":t.search}):null,o=v("div",{class:"menu",popover:"manual"},r,s);o.dataset.of=i.dataset.menu,t.width&&(o.style.width=`${t.width}px`);let a=_=>{let g=_.toLowerCase(),m=e.filter(M=>g===""||typeof M=="object"&&"name"in M&&`${M.name} ${M.help??""}`.toLowerCase().includes(g)).map(M=>l(M));_e(s,m.length>0?m:v("div",{class:"head"},"nothing like this"))},l=_=>_==="line"?v("hr"):"head"in _?v("div",{class:"head"},_.head):v("button",{class:_.on?"item on":"item",role:"menuitem",disabled:_.disabled,onclick:()=>{d(),_.act()}},_.icon?ve(_.icon):null,v("span",{class:"grow"},v("b",null,_.name),_.help?v("small",null,_.help):null),_.on?ve("check",15):null);a(""),r?.addEventListener("input",()=>a(r.value));let c=_=>{!o.contains(_.target)&&!i.contains(_.target)&&d()},h=_=>{let g=[...s.querySelectorAll("button:not(:disabled)")],m=g.indexOf(document.activeElement);if(_.key==="Escape")d(),i.focus();else if(_.key==="ArrowDown")g[Math.min(m+1,g.length-1)]?.focus();else if(_.key==="ArrowUp")(m>0?g[m-1]:r??g[0])?.focus();else if(_.key==="Enter"&&document.activeElement===r)g[0]?.click();else return;_.preventDefault(),_.stopPropagation()},d=()=>{removeEventListener("pointerdown",c,!0),o.remove(),Ma=null};document.body.append(o),o.showPopover();let u=i.getBoundingClientRect(),f=o.getBoundingClientRect(),p=u.bottom+6+f.height<=innerHeight||u.top<f.height;o.style.top=`${Math.max(6,p?Math.min(u.bottom+6,innerHeight-f.height-6):u.top-f.height-6)}px`,o.style.left=`${Math.max(6,Math.min(u.left,innerWidth-f.width-8))}px`,o.addEventListener("keydown",h),addEventListener("pointerdown",c,!0),Ma={menu:o,end:d},(r??s.querySelector("button"))?.focus()}var My=["vlp-16","os1-128-rev7","livox-avia"];function nd(i,e){let t=v("canvas",{width:132,height:84}),n=v("div",{class:"name cut"},"…"),s=v("div",{class:"sub cut"}),r=v("button",{class:"scenario-button",title:"Choose a scenario (O)","data-test":"choose",onclick:()=>e.choose("scenarios")},t,v("span",{class:"grow"},n,s),ve("down",14)),o=v("button",{class:"primary",title:"Scan (Ctrl+Enter)","data-test":"scan",onclick:()=>Sa(i)},ve("scan"),"Scan"),a=v("span",{class:"cut"},"sensor"),l=v("button",{class:"with",title:"With which sensor","data-test":"sensor",onclick:()=>Sy(i,l)},ve("sensor",16),a,ve("down",14)),c=v("button",{class:"square",title:"More ways to scan","data-test":"scan-more","aria-label":"More ways to scan",onclick:()=>wy(i,c)},ve("down",15)),h=v("button",{class:"plain",title:"Save: scenario, pack, picture, film, link","data-test":"save",onclick:()=>e.saveMenu(h)},ve("save"),"Save"),d=v("button",{class:"plain square",title:"Dark or light","aria-label":"Dark or light","data-test":"theme",onclick:e.theme},ve("sun")),u=v("button",{class:"plain square",title:"Keys and help (?)","aria-label":"Keys and help",onclick:e.help},ve("help")),f=v("button",{class:"plain square",title:"Show or hide the scenario ([)","aria-label":"Show or hide the scenario",onclick:()=>e.panels("left")},ve("panelLeft")),p=v("button",{class:"plain square",title:"Show or hide layers and look (])","aria-label":"Show or hide layers and look",onclick:()=>e.panels("right")},ve("panelRight")),_=v("span",{class:"dot connecting",title:"connecting"}),g="";return i.document.watch(m=>{if(!m)return;n.textContent=m.name,s.textContent=m.summary?.title??"",r.title=m.summary?.title??"Choose a scenario (O)";let M=m.summary?.sensors[0],C=(m.summary?.sensors.length??1)-1;if(a.textContent=M?`${M.title||M.preset}${C>0?` + ${C}`:""}`:"no sensor",l.title=m.summary?`With which sensor; it will fire ${qt(m.summary.sensors.reduce((E,R)=>E+R.pulses,0))} pulses in ${Ue(m.summary.duration_s)} s`:"With which sensor",o.disabled=m.good_revision===0,m.name!==g){g=m.name;let E=i.library.value?.scenarios.find(R=>R.name===m.name);E?.thumbnail?ba(t,`library/thumbnail/${encodeURIComponent(E.id)}`):t.getContext("2d")?.clearRect(0,0,t.width,t.height)}}),i.library.on(()=>{g="",i.document.touch()}),i.layers.watch(m=>{let M=m.filter(C=>["waiting","building","running"].includes(C.card.state));_e(o,ve(M.length>0?"stop":"scan"),M.length>0?"Stop":"Scan"),o.title=M.length>0?"Stop scanning (Escape)":"Scan (Ctrl+Enter)",o.dataset.working=String(M.length)}),i.live.connection.watch(({state:m})=>{_.className=`dot ${m==="open"?"":m==="connecting"?"connecting":"lost"}`,_.title=m==="open"?"connected with the program":m==="connecting"?"connecting":"the program does not answer"}),v("header",{class:"top"},v("div",{class:"brand"},ve("tree",22),v("span",null,"Understory ",v("small",null,"Studio"))),r,v("div",{class:"scan-group"},o,l,c),v("div",{class:"top-end"},h,v("i",{class:"rule"}),f,p,d,u,_))}function Sa(i){let e=i.layers.value.filter(t=>["waiting","building","running"].includes(t.card.state));if(e.length>0)for(let t of e)i.attempt(()=>It("POST",`layers/${t.id}/cancel`));else(i.document.value?.good_revision??0)>0&&i.scan()}function Sy(i,e){let t=i.document.value?.summary?.sensors[0]?.preset,n=i.library.value?.sensors??[];ti(e,n.map(s=>({name:s.title||s.name,help:`${s.name} · ${s.pattern} · ${s.channels} ${s.channels===1?"laser":"lasers"} · ${qt(s.pulse_rate_hz)} pulses/s · ${s.wavelength_nm} nm · to ${Ue(s.range_m[1],3)} m`,on:s.name===t,act:()=>{wc(i,s.name)}})),{search:"Which sensor?",width:360})}async function wc(i,e){let n=i.document.value?.value?.sensor?.[0],s=[{path:["sensor",0,"preset"],value:e},...n&&"file"in n?[{path:["sensor",0,"file"],value:null}]:[],...n&&"override"in n?[{path:["sensor",0,"override"],value:null}]:[]];await i.edit(s)}function wy(i,e){let{value:t}=i.document,n=i.library.value?.sensors??[],s=My.filter(l=>n.some(c=>c.name===l)),r=t?.summary?.seed??1,o=t?.summary?.duration_s??1,a=Math.max(r,...i.layers.value.map(l=>l.card.seed??0));ti(e,[{head:"Scan"},{name:"With all three",help:`${s.join(", ")}: the same world, each in a layer of its own`,icon:"three",act:()=>{Ty(i,s)}},{name:"With another seed",help:`seed ${a+1}: the same world, other noise`,icon:"scan",act:()=>{i.scan({seed:a+1})}},{name:"The first tenth",help:`the first ${Ue(o/10)} s`,icon:"play",act:()=>{i.scan({interval_s:[0,o/10]})}},{name:"Each sensor by itself",help:"one layer per sensor of the scenario",icon:"layers",disabled:(t?.summary?.sensors.length??0)<2,act:()=>{Ey(i)}}],{width:340})}async function Ty(i,e){for(let t of e){let n=i.library.value?.sensors.find(s=>s.name===t)?.title??t;if(!await i.scan({preset:t,sensor:0,name:n}))return}i.look.patch({colourBy:"layer",limits:null})}async function Ey(i){for(let e of i.document.value?.summary?.sensors??[])await i.scan({sensor:e.index,name:e.name})}var wa=class{dialog=v("dialog",{class:"chooser","aria-label":"Choose","data-test":"chooser"});#e;#t=v("div",{class:"scroll"});#n=v("input",{type:"search",class:"search",placeholder:"Search","aria-label":"Search: Enter takes the first",oninput:()=>this.#l(),onkeydown:e=>{e.key==="Enter"&&(e.preventDefault(),this.#t.querySelector(".card:not(:disabled), .pick")?.click())}});#i;#s="scenarios";#a=null;constructor(e){this.#e=e;let t=(s,r)=>v("button",{role:"tab",onclick:()=>this.#r(s)},r);this.#i={scenarios:t("scenarios","Scenarios"),sensors:t("sensors","Sensors"),recordings:t("recordings","Recordings")};let n=v("button",{class:"plain square","aria-label":"Close",onclick:()=>this.dialog.close()},ve("close"));_e(this.dialog,v("header",null,v("h2",null,"Choose"),v("div",{class:"tabs",role:"tablist"},Object.values(this.#i)),this.#n,n),this.#t),this.dialog.addEventListener("click",s=>{s.target===this.dialog&&this.dialog.close()}),document.body.append(this.dialog),e.library.on(()=>{this.dialog.open&&this.#l()})}open(e){this.#n.value="",this.dialog.open||this.dialog.showModal(),this.#r(e),this.#n.focus(),_t("GET","library").then(async t=>this.#e.library.value=await t.json()).catch(()=>{})}#r(e){this.#s=e;for(let[t,n]of Object.entries(this.#i))n.setAttribute("aria-selected",String(t===e));this.#l(),this.#t.scrollTop=0}#l(){let{value:e}=this.#e.library;if(this.#a?.disconnect(),!e)return _e(this.#t,v("div",{class:"empty"},v("span",{class:"spin"})));let t=this.#n.value.trim().toLowerCase(),n=(...o)=>t===""||o.join(" ").toLowerCase().includes(t);if(this.#s==="scenarios"){let o=e.scenarios.filter(h=>n(h.name,h.title,h.sensors.join(" "))),a={learned:0,folder:1,"built-in":2},l=["demo","forest-plot","forest-trail","drive","orchard","courtyard","maize-field","acre","crossing","airborne-strip","people-walking","rain","snow","fog","dust","tripod-scan","mirror","rolling-stones"],c=h=>l.includes(h.name)?l.indexOf(h.name):99;o.sort((h,d)=>a[h.source]-a[d.source]||c(h)-c(d)),this.#a=new IntersectionObserver(h=>{for(let{target:d,isIntersecting:u}of h)u&&(this.#a?.unobserve(d),ba(d,`library/thumbnail/${encodeURIComponent(d.dataset.id??"")}`))},{root:this.#t,rootMargin:"200px"}),_e(this.#t,o.length>0?v("div",{class:"cards"},o.map(h=>this.#u(h))):v("div",{class:"empty"},"nothing like this"));return}if(this.#s==="sensors"){let o=e.sensors.filter(l=>n(l.name,l.title,l.pattern)),a=l=>v("tr",{class:"pick",tabindex:0,title:"Scan with it",onclick:()=>this.#c(l.name),onkeydown:c=>c.key==="Enter"&&this.#c(l.name)},v("td",null,v("b",null,l.title||l.name),v("div",{class:"faint"},l.name)),v("td",null,l.pattern),v("td",{class:"number"},l.channels),v("td",{class:"number"},qt(l.pulse_rate_hz)),v("td",{class:"number"},`${l.wavelength_nm} nm`),v("td",{class:"number"},`${Ue(l.range_m[0],2)} – ${Ue(l.range_m[1],3)} m`));_e(this.#t,v("table",{class:"table-list"},v("thead",null,v("tr",null,v("th",null,"sensor"),v("th",null,"pattern"),v("th",{class:"number"},"lasers"),v("th",{class:"number"},"pulses/s"),v("th",{class:"number"},"wavelength"),v("th",{class:"number"},"range"))),v("tbody",null,o.map(a))));return}let s=e.recordings.filter(o=>n(o.name,o.format)),r=this.#e.hello.value?.folder??"";_e(this.#t,e.remarks.map(o=>v("p",{class:"soft",style:{padding:"10px 18px 0"}},o)),s.length===0?v("div",{class:"empty"},ve("open",30),v("strong",null,"No recordings here"),v("span",null,`Start the studio in a folder with recordings (LAS, LAZ, PCD, PLY, E57, MCAP, PCAP, NPY, CSV …); this one is ${r}.`)):v("table",{class:"table-list"},v("thead",null,v("tr",null,v("th",null,`file in ${r}`),v("th",null,"format"),v("th",{class:"number"},"size"))),v("tbody",null,s.map(o=>v("tr",{class:"pick",tabindex:0,onclick:()=>{this.#h(o.id)},onkeydown:a=>a.key==="Enter"&&void this.#h(o.id)},v("td",null,o.name),v("td",null,o.format??"?"),v("td",{class:"number"},Vu(o.bytes)))))))}#u(e){let t=v("canvas",{width:448,height:280});t.dataset.id=e.id,e.thumbnail&&this.#a?.observe(t);let n=e.thumbnail?t:v("div",{class:"nothing"},ve(e.source==="learned"?"learn":"tree",40));return v("button",{class:"card",title:e.problem??e.title,disabled:e.problem!==null,"data-scenario":e.name,onclick:()=>{this.#o(e.id)}},n,v("div",{class:"words"},v("b",null,e.name),v("p",null,e.problem??e.title),v("div",{class:"tags"},e.source==="built-in"?null:v("span",{class:"tag accent"},e.source==="learned"?"learned":"your folder"),e.sensors.slice(0,2).map(s=>v("span",{class:"tag"},s)),v("span",{class:"tag"},ga(e.duration_s)),e.moving?v("span",{class:"tag"},"moving"):null)))}async#o(e){await this.#e.open({scenario:e})&&this.dialog.close()}#c(e){this.dialog.close(),wc(this.#e,e)}async#h(e){let t=await this.#e.attempt(()=>It("POST","recordings",{file:e}));t&&(this.dialog.close(),this.#e.adopt(t).fresh=!0)}};var sd={viridis:"440154482475414487355f8d2a788e21918c22a88444bf707ad151bddf26fde725",turbo:"30123b4145ab4675ed39a2fc1bcfd424eca661fc6ca4fc3bd1e834f3c63afe9b2df36315d93806b119017a0402",inferno:"000004160b39420a686a176e932667bc3754dd513af37819fca50af6d746fcffa4",canopy:"10231d14452f1c6b3f3f8f475fae4f9cc85fd3d983f4e7b0",cividis:"00204d00306f2a406c48526b5e626e727374878479a08f77b9a670d3bd63f0d94d",coolwarm:"3b4cc06788ee9abbffc9d7f0dddddeedd1c2f7a889e26952b40426",grey:"0a0a0af5f5f5"},rd=Object.keys(sd),id=new Map;function gs(i,e=!1){let t=e?`-${i}`:i,n=id.get(t);if(n)return n;let s=sd[i],r=s.length/6,o=(l,c)=>parseInt(s.slice(l*6+c*2,l*6+c*2+2),16),a=new Uint8Array(1024);for(let l=0;l<256;l++){let c=(e?255-l:l)/255*(r-1),h=Math.min(Math.floor(c),r-2);for(let d=0;d<3;d++)a[l*4+d]=Math.round(o(h,d)+(o(h+1,d)-o(h,d))*(c-h));a[l*4+3]=255}return id.set(t,a),a}var ms=["4e9af1","f28e2b","59c36a","e15759","b07aa1","edc948","76d7c4","ff9da7","9c755f","a0cbe8","8cd17d","d37295","f1ce63","499894","86bcb6","c48eea"],Ay={0:"8a8f98",1:"c04040",10:"6496f5",11:"64e6f5",13:"6450fa",15:"1e3c96",16:"0000ff",18:"501eb4",20:"5a50c8",30:"ff1e1e",31:"ff28c8",32:"961e5a",40:"d05cd0",44:"ff96ff",48:"7d3c7d",49:"af004b",50:"ffc800",51:"ff7832",52:"ff9600",60:"96ffaa",70:"2fb344",71:"a5682a",72:"96c850",80:"ffe08c",81:"ff3b3b",99:"32ffff",252:"6496f5",253:"ff28c8",254:"ff1e1e",255:"961e5a",256:"0000ff",257:"6450fa",258:"501eb4",259:"5a50c8"};function Tc(i,e){return`#${(i==="label"?Ay[e]:void 0)??ms[(e%ms.length+ms.length)%ms.length]}`}function Ta(i){let e=new Uint8Array(4096);for(let t=0;t<1024;t++){let n=parseInt(Tc(i,t).slice(1),16);e.set([n>>16,n>>8&255,n&255,255],t*4)}return e}function Bn(i){return`#${ms[i%ms.length]}`}var ki=300,ys=40,kn=18;function od(i,e,t,n,s){let r=l=>ys+(l-i)/(e-i||1)*(ki-ys-6),o=l=>n-kn-l/(t||1)*(n-kn-8),a=[];for(let l of lr(0,t,3))a.push(pt("line",{class:"grid",x1:ys,x2:ki-6,y1:o(l),y2:o(l)})),a.push(pt("text",{x:ys-4,y:o(l)+3,"text-anchor":"end"},Ue(l,2)));for(let l of lr(i,e,4))a.push(pt("line",{class:"axis",x1:r(l),x2:r(l),y1:n-kn,y2:n-kn+3})),a.push(pt("text",{x:r(l),y:n-5,"text-anchor":"middle"},Ue(l,5)));return a.push(pt("line",{class:"axis",x1:ys,x2:ki-6,y1:n-kn,y2:n-kn})),s&&a.push(pt("text",{x:ki-6,y:n-kn-4,"text-anchor":"end"},s)),{x:r,y:o,parts:a}}function ad(i){let{echo:t}=i,n=[...i.returns.flatMap(p=>[p.measured_m,p.window_m[0],p.window_m[1]]),...i.sub_rays.flatMap(p=>p.hits.map(_=>_.distance_m))].filter(Number.isFinite),s=t.range_m.filter((p,_)=>t.signal[_]>0),r=[...n,...t.kind==="sub-rays"?t.range_m:s.length>0?s:t.range_m],o=r.length>0?r.reduce((p,_)=>Math.min(p,_)):0,a=r.length>0?r.reduce((p,_)=>Math.max(p,_)):1,l=Math.max((a-o)*.08,.05);o-=l,a+=l;let c=Math.max(t.threshold??0,t.signal.reduce((p,_)=>Math.max(p,_),0))*1.08||1,{x:h,y:d,parts:u}=od(o,a,c,150,"range, m"),f=p=>p>=o&&p<=a;for(let p of i.returns){let _=Math.max(p.window_m[0],o),g=Math.min(p.window_m[1],a);g>_&&u.push(pt("rect",{class:"window",x:h(_),y:4,width:Math.max(1,h(g)-h(_)),height:150-kn-4}))}if(t.kind==="waveform"){let p=t.range_m.map((_,g)=>[_,t.signal[g]]).filter(([_])=>f(_));if(p.length>1){let _=p.map(([g,m])=>`${h(g).toFixed(1)},${d(Math.max(0,m)).toFixed(1)}`).join(" ");u.push(pt("polygon",{class:"area",points:`${h(p[0][0]).toFixed(1)},${d(0)} ${_} ${h(p[p.length-1][0]).toFixed(1)},${d(0)}`})),u.push(pt("polyline",{class:"curve",points:_}))}}else t.range_m.forEach((p,_)=>{f(p)&&(u.push(pt("line",{class:"stem",x1:h(p),x2:h(p),y1:d(0),y2:d(t.signal[_])})),u.push(pt("circle",{cx:h(p),cy:d(t.signal[_]),r:2.2,fill:"var(--accent)"})))});return t.threshold!==null&&u.push(pt("line",{class:"threshold",x1:ys,x2:ki-6,y1:d(t.threshold),y2:d(t.threshold)})),i.returns.forEach((p,_)=>{let g=p.truth===null?null:i.sub_rays[p.truth]?.hits[0]?.distance_m;typeof g=="number"&&f(g)&&u.push(pt("line",{class:"true",x1:h(g),x2:h(g),y1:4,y2:150-kn})),f(p.measured_m)&&(u.push(pt("line",{class:"measured",x1:h(p.measured_m),x2:h(p.measured_m),y1:4,y2:150-kn})),u.push(pt("text",{x:h(p.measured_m)+3,y:12},String(_+1))))}),pt("svg",{class:"plot",viewBox:`0 0 ${ki} 150`,role:"img","aria-label":`Echo of pulse ${i.pulse}: ${i.returns.length} returns`},...u)}function ld(i){let t=Math.max(i.real.length,i.simulated.length),n=Math.max(1e-9,...i.real,...i.simulated)*1.05,{x:s,y:r,parts:o}=od(i.from,i.from+i.step*t,n*100,104,i.unit),a=(l,c)=>l.forEach((h,d)=>{if(!(h>0))return;let u=s(i.from+i.step*d),f=s(i.from+i.step*(d+1));o.push(pt("rect",{class:c,x:u.toFixed(2),y:r(h*100).toFixed(2),width:Math.max(.6,f-u).toFixed(2),height:Math.max(0,r(0)-r(h*100)).toFixed(2)}))});return a(i.real,"bar-a"),a(i.simulated,"bar-b"),pt("svg",{class:"plot",viewBox:`0 0 ${ki} 104`,role:"img","aria-label":`Histogram of ${i.name}`},...o)}var Ea=220;function cd(i,e){let t=v("div",{class:"legend","data-test":"legend"}),n=()=>{let s=e.scale.value;t.hidden=s.sample.length===0,t.hidden||_e(t,...s.categories?Ry(i,s):Cy(i,s))};return e.scale.on(n),i.grew.on(n),i.layers.on(n),n(),t}function Aa(i,e){if(e==="height_m")return{title:"height",unit:"m"};if(e==="layer")return{title:"layer",unit:""};if(e==="difference")return{title:"difference",unit:"m"};let t=i.library.value?.columns.find(r=>r.name===e),[n,s]=ei(e);return{title:n,unit:t?.unit||s}}function Cy(i,e){let{title:t,unit:n}=Aa(i,e.column),s=v("canvas",{width:Ea*2,height:68,"aria-hidden":"true"}),r=s.getContext("2d");if(r){let a=gs(i.look.value.scale,i.look.value.reversed),l=ju(e.sample,e.low,e.high,110),c=Math.max(1,...l);for(let h=0;h<Ea*2;h++){let d=Math.round(h/(Ea*2-1)*255)*4;r.fillStyle=`rgb(${a[d]} ${a[d+1]} ${a[d+2]})`,r.fillRect(h,50,1,18);let u=Math.sqrt(l[Math.min(109,Math.floor(h/(Ea*2)*110))]/c)*44;r.globalAlpha=.75,r.fillRect(h,48-u,1,u),r.globalAlpha=1}}let o=lr(e.low,e.high,4).map(a=>{let l=v("span",null,Ue(a,4));return l.style.left=`${Math.min(96,Math.max(4,(a-e.low)/(e.high-e.low)*100))}%`,l});return[v("div",{class:"title"},t,n?v("span",null,n):null),s,v("div",{class:"ticks"},o)]}function Ry(i,e){let{title:t}=Aa(i,e.column),n=new Map;for(let a of e.sample)n.set(a,(n.get(a)??0)+1);let s=[...n].sort((a,l)=>l[1]-a[1]).slice(0,24),r=s.map(([a,l])=>{let c=v("i");c.style.background=e.column==="layer"?Bn(a):Tc(e.column,a);let h=`${Ue(l/e.sample.length*100,2)} % of the points`;return v("div",{title:h},c,v("span",{class:"cut"},Py(i,e.column,a)))}),o=n.size-s.length;return[v("div",{class:"title"},t,o>0?v("span",null,`and ${o} more`):null),v("div",{class:"items"},r)]}function Py(i,e,t){if(e==="label")return i.library.value?.labels.find(s=>s.label===t)?.name??`class ${t}`;if(e==="layer")return i.layers.value.find(s=>s.number===t)?.card.name??`layer ${t}`;let n=i.activeLayer?.names;return e==="object"?t===0?"none":n?.objects[t-1]??`object ${t}`:e==="material"?t===0?"none":n?.materials[t-1]??`material ${t}`:e==="sensor"?i.activeLayer?.card.sensors[t]??`sensor ${t}`:String(t)}var hd=["height_m","range_m","intensity","label","object","return_number","range_error_m","incidence_deg","time_s","channel","layer"];function ud(i,e){let{look:t}=i,n=w=>t.patch(w),s=v("select",{"data-test":"colour-by","aria-label":"Colour by",onchange:()=>n({colourBy:s.value,limits:null,...s.value==="difference"||s.value==="range_error_m"?{scale:"coolwarm"}:t.value.scale==="coolwarm"?{scale:"viridis"}:{}})}),r=()=>{let w=new Set(["height_m","layer"]);for(let O of i.layers.value)for(let te of O.card.columns)w.add(te);i.layers.value.some(O=>O.column("difference"))&&w.add("difference"),w.add(t.value.colourBy);let G=[...hd.filter(O=>w.has(O)),...[...w].filter(O=>!hd.includes(O)).sort()],q=i.library.value?.columns??[];_e(s,G.map(O=>{let{title:te,unit:W}=Aa(i,O),Q=q.find(ee=>ee.name===O);return v("option",{value:O,title:Q?.brief},`${te}${W?` (${W})`:""}${Q?.truth?" · true":""}`)})),s.value=t.value.colourBy};r(),i.layers.on(r),i.grew.on(r),i.library.on(r);let o=v("select",{"aria-label":"Scale of colours","data-test":"scale",onchange:()=>n({scale:o.value})},rd.map(w=>v("option",{value:w},w))),a=zn("reversed",w=>n({reversed:w})),l=vs("Lower percentile",0,100,()=>n({percentiles:[Number(l.value),t.value.percentiles[1]],limits:null})),c=vs("Upper percentile",0,100,()=>n({percentiles:[t.value.percentiles[0],Number(c.value)],limits:null})),h=vs("Lowest value",null,null,()=>u()),d=vs("Highest value",null,null,()=>u()),u=()=>{h.value!==""&&d.value!==""&&Number(d.value)>Number(h.value)&&n({limits:[Number(h.value),Number(d.value)]})},f=Ca("Point size",1,12,.5,w=>n({size:w}),w=>t.value.metric?`${w} cm`:`${w} px`),p=zn("size in the world",w=>n({metric:w})),_=zn("round",w=>n({round:w})),g=Ca("Opacity",.05,1,.05,w=>n({opacity:w}),w=>`${Math.round(w*100)} %`),m=Ca("Eye-dome",0,2,.1,w=>n({eyeDome:w}),w=>w===0?"off":Ue(w,2)),M=Ca("World",0,1,.05,w=>n({world:w}),w=>w===0?"hidden":`${Math.round(w*100)} %`),C=zn("sensors",w=>n({sensors:w})),E=zn("beams",w=>n({beams:w})),R=zn("path",w=>n({path:w})),A=zn("weather",w=>n({weather:w})),y=zn("cut away",w=>n({cutaway:w}),"Leaves out walls that hide from you what the sensor sees (X)"),S=zn("points over surfaces",w=>n({through:w}),"Draws points also where a surface hides them (V)"),F=zn("Clipping box",w=>n({clip:{...t.value.clip,on:w}})),N=["x","y","z"].map((w,G)=>{let q=(W,Q)=>{let ee={...t.value.clip,low:[...t.value.clip.low],high:[...t.value.clip.high]};ee[W][G]=Q,n({clip:ee})},O=vs(`Least ${w}`,null,null,()=>q("low",Number(O.value))),te=vs(`Largest ${w}`,null,null,()=>q("high",Number(te.value)));return{name:w,a:O,b:te}}),U=v("div",{class:"body"},N.map(({name:w,a:G,b:q})=>cn(w,v("div",{class:"pair"},G,q)))),V=v("div",{class:"soft",style:{"font-size":"12px",display:"grid",gap:"4px"}}),X=()=>{let w=i.world.value,{remark:G}=i.building.value,q=w?[...G?[`${G[0].toUpperCase()}${G.slice(1)}.`]:[],...w.weather.map(O=>O.sentence),...w.sites.map(O=>`${O.name}: ${ln(O.volumes)} volumes, ${O.rays}`),...w.warnings]:[];_e(V,q.map(O=>v("p",null,O))),V.hidden=q.length===0};return i.world.on(X),i.building.watch(X),t.watch(w=>{s.value=w.colourBy,o.value=w.scale,a.input.checked=w.reversed,_s(l,w.percentiles[0]),_s(c,w.percentiles[1]),f.set(w.size),p.input.checked=w.metric,_.input.checked=w.round,g.set(w.opacity),m.set(w.eyeDome),M.set(w.world),y.input.checked=w.cutaway,S.input.checked=w.through,C.input.checked=w.sensors,E.input.checked=w.beams,R.input.checked=w.path,A.input.checked=w.weather,F.input.checked=w.clip.on,U.hidden=!w.clip.on,N.forEach(({a:G,b:q},O)=>{_s(G,w.clip.low[O]),_s(q,w.clip.high[O])})}),e.scale.watch(w=>{for(let G of[l,c,h,d,o,a.input])G.disabled=w.categories;_s(h,Number(w.low.toPrecision(5))),_s(d,Number(w.high.toPrecision(5)))}),v("div",null,Ec("Colour",cn("by",s),cn("scale",v("div",{class:"row"},o,a.element)),cn("percentiles",v("div",{class:"pair"},l,c)),cn("from … to",v("div",{class:"pair"},h,d))),Ec("Points",f.element,v("div",{class:"row"},p.element,_.element),g.element,m.element),Ec("World",M.element,v("div",{class:"row",style:{"flex-wrap":"wrap",gap:"8px 14px"}},C.element,E.element,R.element,A.element,y.element,S.element),V),v("div",{class:"section"},v("header",null,F.element),U))}function Ec(i,...e){return v("div",{class:"section"},v("header",null,i),v("div",{class:"body"},...e))}function cn(i,...e){return v("label",{class:"field"},v("span",{class:"label"},i),...e)}function vs(i,e,t,n){return v("input",{type:"number",step:"any",min:e,max:t,"aria-label":i,title:i,onchange:n})}function _s(i,e){document.activeElement!==i&&(i.value=String(e))}function zn(i,e,t=null){let n=v("input",{type:"checkbox",onchange:()=>e(n.checked)});return{element:v("label",{class:"check",title:t},n,i),input:n}}function Ca(i,e,t,n,s,r){let o=v("input",{type:"range",min:e,max:t,step:n,"aria-label":i,oninput:()=>s(Number(o.value))}),a=v("output",null);return{element:cn(i,v("div",{class:"slider"},o,a)),set:l=>{o.value=String(l),a.textContent=r(l)}}}var Ra=class{element=v("div",{"data-test":"compare"});#e;#t=v("select",{"aria-label":"First layer","data-test":"compare-a",onchange:()=>this.#o()});#n=v("select",{"aria-label":"Second layer","data-test":"compare-b",onchange:()=>this.#o()});#i;#s=v("div");#a=v("div",{class:"empty"},ve("compare",30),v("strong",null,"Two layers are needed"),v("span",null,"Scan twice, with other sensors, seeds or settings, or open a recording; then look at both here."));#r;#l=0;constructor(e){this.#e=e;let t=(o,a)=>v("button",{class:"small","data-test":`compare-${o}`,onclick:()=>this.show(o)},a);this.#i={off:t("off","all"),side:t("side","side by side"),swipe:t("swipe","slider")};let n=v("button",{class:"primary","data-test":"compare-figures",onclick:()=>{this.#c()}},ve("compare",16),"Figures and histograms"),s=v("button",{"data-test":"compare-difference",title:"Distance of each point of the first layer to the nearest of the second",onclick:()=>{this.#p("nearest")}},"Distance"),r=v("button",{title:"Range minus that of the same pulse and return of the other layer",onclick:()=>{this.#p("range")}},"Same pulse");this.#r=v("div",{class:"section"},v("header",null,ve("compare",16),"Compare"),v("div",{class:"body"},cn("real / first",this.#t),cn("judged",this.#n),v("div",{class:"field"},v("span",{class:"label"},"show"),v("div",{class:"row",style:{gap:"4px"}},Object.values(this.#i))),v("div",{class:"field"},v("span",{class:"label"},"difference"),v("div",{class:"row",style:{gap:"4px"}},s,r)),n)),_e(this.element,this.#a,this.#r,this.#s),e.layers.on(()=>this.#u()),e.comparing.on(()=>this.#u()),this.#u()}start(e,t){this.#e.comparing.value={mode:"side",a:e.id,b:t.id,at:.5},this.#c()}show(e){this.#o(),this.#e.comparing.patch({mode:e})}#u(){let e=this.#e.layers.value,t=e.length>=2;if(this.#a.hidden=t,this.#r.hidden=!t,this.#s.hidden=!t,!t)return;let n=e.map(c=>`${c.id} ${c.card.name}`).join();if(this.#t.dataset.names!==n){this.#t.dataset.names=n;for(let c of[this.#t,this.#n])_e(c,e.map(h=>v("option",{value:h.id},h.card.name)))}let{a:s,b:r,mode:o}=this.#e.comparing.value,a=s??e[e.length-2].id,l=r??e.find(c=>c.id!==a&&c===e[e.length-1])?.id??e[0].id;this.#t.value=String(a),this.#n.value=String(l);for(let[c,h]of Object.entries(this.#i))h.setAttribute("aria-pressed",String(c===o))}#o(){this.#e.comparing.patch({a:Number(this.#t.value),b:Number(this.#n.value)})}async#c(){this.#o();let{a:e,b:t}=this.#e.comparing.value,n=++this.#l;_e(this.#s,v("div",{class:"empty"},v("span",{class:"spin"}),v("span",null,"comparing …")));try{let s=await It("POST","compare",{real:e,simulated:t});n===this.#l&&this.#h(s)}catch(s){n===this.#l&&_e(this.#s,v("div",{class:"empty"},ve("warn",26),v("span",null,En(s))))}}#h(e){let t=s=>this.#e.layer(s)?.card.name??`layer ${s}`,n=(s,r)=>{let o=v("i");return o.style.background=`var(--${s})`,v("span",null,o,r)};_e(this.#s,v("div",{class:"section","data-test":"figures"},v("header",null,"Figures"),v("div",{class:"body"},v("div",{class:"figures"},e.figures.map(s=>v("div",{class:"figure"},v("span",null,s.name),v("b",null,s.value===null?"–":`${Number.isInteger(s.value)?ln(s.value):Ue(s.value,4)}${s.unit?` ${s.unit}`:""}`),s.help?v("small",null,s.help):null))),e.remarks.map(s=>v("p",{class:"soft"},s)))),v("div",{class:"section"},v("header",null,"Histograms, %"),v("div",{class:"body"},v("div",{class:"key-line"},n("blue",t(e.real)),n("amber",t(e.simulated))),e.histograms.map(s=>v("div",null,v("div",{class:"soft"},s.name),ld(s))))))}async#p(e){this.#o();let{a:t,b:n}=this.#e.comparing.value,s=this.#e.layer(t);!s||n===null||await this.#e.attempt(async()=>{let r=await _t("GET","compare/difference",{query:{of:t,to:n,kind:e}}),o=An(await r.arrayBuffer());s.set("difference",o.column("difference_m")),this.#e.look.patch({colourBy:"difference",scale:e==="range"?"coolwarm":"inferno",limits:null}),this.#e.comparing.patch({mode:"off"}),this.#e.active.value=s.id;for(let a of this.#e.layers.value)a.visible=a===s;this.#e.layers.touch(),this.#e.grew.value++})}};function dd(i,e){let t=()=>v("div",{class:"pane-name",hidden:!0}),n=t(),s=t(),r=v("button",{class:"swipe",hidden:!0,"aria-label":"Border between the layers","data-test":"swipe"});e.append(n,s,r),r.addEventListener("pointerdown",a=>{r.setPointerCapture(a.pointerId);let l=c=>{let h=e.getBoundingClientRect();i.comparing.patch({at:Math.max(.02,Math.min(.98,(c.clientX-h.left)/h.width))})};r.addEventListener("pointermove",l),r.addEventListener("pointerup",()=>r.removeEventListener("pointermove",l),{once:!0})}),r.addEventListener("keydown",a=>{let l=a.key==="ArrowLeft"?-.02:a.key==="ArrowRight"?.02:0;l!==0&&(a.preventDefault(),a.stopPropagation(),i.comparing.patch({at:Math.max(.02,Math.min(.98,i.comparing.value.at+l))}))});let o=()=>{let{mode:a,a:l,b:c,at:h}=i.comparing.value,d=i.layer(l),u=i.layer(c),f=a!=="off"&&d!==null&&u!==null;for(let _ of[n,s,r])_.hidden=!f;if(!f)return;let p=(_,g)=>{let m=v("i");m.style.background=Bn(g.number),_e(_,m,v("span",{class:"cut"},g.card.name))};p(n,d),p(s,u),n.style.left="58px",s.style.right="12px",r.style.left=`${(a==="side"?.5:h)*100}%`,r.classList.toggle("fixed",a==="side")};i.comparing.on(o),i.layers.on(o)}function fd(i,e){let t=v("canvas",{"data-test":"program-picture"}),n=v("p",null,"This browser has no WebGL (3D graphics), so the picture below is drawn by the program. Everything else works: scenario, scans, exports, comparisons. To turn it on, use a browser with hardware acceleration, or start Chromium with --use-angle=swiftshader --enable-unsafe-swiftshader.");e.append(v("div",{class:"no-webgl","data-test":"no-webgl"},n,t));let s="",r=()=>{let o=i.activeLayer,a=o?.card.state==="done"?`layers/${o.id}/picture`:"world/picture",l=`${a} ${i.document.value?.good_revision}`;l!==s&&(s=l,td(t,a,a==="world/picture"?{width:Math.max(320,e.clientWidth),height:Math.max(200,e.clientHeight-60)}:void 0))};i.document.on(r),i.layers.on(r),r()}function pd(i,e){let t=v("div",{"data-test":"inspector"}),n=0,s=async()=>{let r=++n,{value:o}=i.picked;if(e.pulse.value=null,!o){_e(t,v("div",{class:"empty"},ve("pulse",30),v("strong",null,"No point picked"),v("span",null,"Click a point in the picture or in the range image: everything measured beside everything true, and the pulse that made it.")));return}try{let a=await mt(`layers/${o.layer.id}/points/${o.point}`);if(r!==n)return;let l=v("div");if(_e(t,...Iy(i,a),l,Ly(a)),!o.layer.card.pulses_known)return;_e(l,v("div",{class:"empty"},v("span",{class:"spin"})));try{let c=await mt(`layers/${o.layer.id}/points/${o.point}/pulse`);if(r!==n)return;e.pulse.value=c,_e(l,Ny(c))}catch(c){r===n&&_e(l,v("p",{class:"soft",style:{padding:"10px 12px"}},En(c)))}}catch(a){r===n&&_e(t,v("div",{class:"empty"},ve("warn",28),v("span",null,En(a))))}};return i.picked.on(()=>{s()}),s(),t}function Iy(i,e){let t=a=>e.fields.find(l=>l.name===a)?.value??null,n=t("range_m"),s=t("true_range_m"),r=(a,l)=>v("div",null,v("b",{title:l},l),v("span",null,a)),o=v("button",{class:"plain small square","aria-label":"Let the point go",onclick:()=>i.picked.value=null},ve("close",15));return[v("div",{class:"section"},v("header",null,ve("pulse",16),v("span",{class:"grow cut"},e.object??"point"),o),v("p",{class:"which"},`point ${ln(e.point)}, row ${ln(e.row)}`),v("div",{class:"body"},v("div",{class:"headline"},r("measured",n===null?"–":`${Ue(n,5)} m`),r("true",s===null?"–":`${Ue(s,5)} m`),r("error",e.range_error_m===null?"–":`${Ue(e.range_error_m*1e3,3)} mm`),r("intensity",Ue(t("intensity")??Number.NaN,3)),r("material",e.material??"–"),r("class",e.label??"–"))))]}function Ly(i){let e=r=>r.value===null?"–":Number.isInteger(r.value)&&Math.abs(r.value)<1e15?String(r.value):String(Number(r.value.toPrecision(9))),t=r=>v("tr",{title:`${r.name}: ${r.brief}`,"data-field":r.name,"data-value":r.value===null?"":String(r.value)},v("td",null,r.name.includes("_")?ei(r.name)[0]:r.name," ",v("span",{class:"faint"},r.unit)),v("td",{class:r.truth?"value true":"value"},e(r))),n=i.fields.filter(r=>!r.truth),s=i.fields.filter(r=>r.truth);return v("div",{class:"section"},v("header",null,"Measured"),v("div",{class:"body"},v("table",{class:"facts-table"},v("tbody",null,n.map(t)))),s.length>0?v("header",null,"True"):null,s.length>0?v("div",{class:"body"},v("table",{class:"facts-table"},v("tbody",null,s.map(t)))):null)}function Ny(i){let e=i.sub_rays.filter(s=>s.hits.length>0).length,t=(s,r)=>{let o=v("i");return o.style.background=`var(--${s})`,v("span",null,o,r)},n=new Map;for(let s of i.sub_rays)for(let r of s.hits)n.set(`${r.object} · ${r.material}`,(n.get(`${r.object} · ${r.material}`)??0)+1);return v("div",{class:"section","data-test":"pulse"},v("header",null,v("span",{class:"grow"},"Its pulse ",v("span",{class:"count"},`${ln(i.pulse)} of ${i.sensor}`))),v("div",{class:"body"},ad(i),v("div",{class:"key-line"},t("accent",i.echo.kind==="waveform"?`signal, ${i.echo.unit}`:`light of sub-rays, ${i.echo.unit}`),t("amber","return, with its window"),t("blue","true range"),i.echo.threshold===null?null:t("red","threshold")),v("p",{class:"soft"},`${e} of ${i.sub_rays.length} sub-rays met something; ${i.returns.length} ${i.returns.length===1?"return":"returns"}. ${i.detector}`),n.size>0?v("table",{class:"facts-table"},v("tbody",null,[...n].sort((s,r)=>r[1]-s[1]).slice(0,6).map(([s,r])=>v("tr",null,v("td",null,s),v("td",{class:"value"},`${r} sub-${r===1?"ray":"rays"}`))))):null,v("details",null,v("summary",{class:"soft"},"Every step in words"),v("pre",{class:"account"},i.text))))}function md(i,e){let t=v("span",{class:"count"}),n=v("div",{role:"list","data-test":"layers"}),s=v("button",{class:"plain small",title:"Open a recording",onclick:e.recordings},ve("open",15),"Open"),r=v("div",{class:"section layers"},v("header",null,ve("layers",16),v("span",{class:"grow"},"Layers ",t),s),n),o=new Map,a=()=>{let l=i.layers.value;t.textContent=l.length>0?String(l.length):"";for(let[c,h]of o)l.some(d=>d.id===c)||(h.element.remove(),o.delete(c));if(l.length===0){_e(n,v("div",{class:"empty"},ve("scan",30),v("strong",null,"No scans yet"),v("span",null,"Press Scan: points appear here while they are made, and every scan stays.")));return}n.querySelector(".empty")?.remove();for(let c of l){let h=o.get(c.id);h||(h=Dy(i,c,e),o.set(c.id,h),n.append(h.element)),h.update()}};return i.layers.on(a),i.active.on(l=>{a(),o.get(l??-1)?.element.scrollIntoView({block:"nearest"})}),i.grew.on(a),a(),r}function Dy(i,e,t){let n=v("button",{class:"plain small square",onclick:p=>{p.stopPropagation(),e.visible=!e.visible,i.layers.touch(),i.grew.value++}}),s=v("span",{class:"swatch"});s.style.background=Bn(e.number);let r=v("input",{type:"text",class:"name cut",readonly:!0,"aria-label":"Name of the layer",ondblclick:()=>o(),onkeydown:p=>{p.key==="Enter"&&r.blur(),p.key==="Escape"&&(r.value=e.card.name,r.blur())},onblur:()=>{if(r.readOnly)return;r.readOnly=!0;let p=r.value.trim();p===""||p===e.card.name?r.value=e.card.name:i.attempt(async()=>{e.card={...e.card,name:(await It("PATCH",`layers/${e.id}`,{name:p})).name},i.layers.touch()})}}),o=()=>{r.readOnly=!1,r.focus(),r.select()},a=v("button",{class:"small","data-test":"cancel",onclick:p=>{p.stopPropagation(),i.attempt(()=>It("POST",`layers/${e.id}/cancel`))}},ve("stop",13),"Stop"),l=v("button",{class:"plain small square",title:"What can be done with it","data-test":"layer-menu",onclick:p=>{p.stopPropagation(),ti(l,Uy(i,e,t,o))}},ve("three",15)),c=v("div",{class:"facts"}),h=v("progress",{max:1,value:0}),d=v("div",{class:"trouble"}),u=v("div",{class:"layer",role:"listitem",tabindex:0,"data-layer":e.id,onclick:()=>i.active.value=e.id,onkeydown:p=>{p.target===u&&(p.key==="Enter"&&(i.active.value=e.id),p.key==="Delete"&&i.remove(e),p.key==="F2"&&o(),p.key===" "&&(p.preventDefault(),n.click()))}},n,v("div",{class:"row"},s,r),v("div",{class:"acts"},a,l),c,h,d);return{element:u,update:()=>{let{card:p}=e,_=p.state==="waiting"||p.state==="building"||p.state==="running";u.classList.toggle("active",i.activeLayer===e),u.classList.toggle("dim",!e.visible),u.dataset.state=e.streaming&&!_?"loading":p.state,u.dataset.points=String(e.cloud.count),_e(n,ve(e.visible?"eye":"hidden",15)),n.title=e.visible?"Hide":"Show",n.setAttribute("aria-label",n.title),r.readOnly&&(r.value=p.name),a.hidden=!_,h.hidden=!_,p.state==="waiting"||p.state==="building"?h.removeAttribute("value"):h.value=p.share;let g=[`${qt(e.cloud.count)} points`,_?p.doing:`${qt(p.pulses)} pulses`,!_&&p.seed!==null?`seed ${p.seed}`:null,!_&&p.seconds>0?ga(p.seconds):null,p.state==="cancelled"?"stopped":null].filter(m=>m!==null&&m!=="");_e(c,g.map(m=>v("span",null,m))),c.title=[`${p.kind==="scan"?"scan of":"recording"} ${p.source}`,`sensors: ${p.sensors.join(", ")}`,`${ln(p.pulses)} pulses, ${ln(p.returns)} returns, ${ln(p.rows)} rows`,`from ${Ue(p.interval_s[0])} to ${Ue(p.interval_s[1])} s`,...p.remarks].join(`
`),d.textContent=e.trouble??p.problem?.sentence??"",d.hidden=d.textContent===""}}}function Uy(i,e,t,n){let s=i.library.value?.formats??[],r=i.layers.value.filter(o=>o!==e);return[{name:"Look at it",icon:"fit",act:()=>t.fit(e)},{name:"Rename",icon:"edit",act:n},...r.map(o=>({name:`Compare with ${o.card.name}`,icon:"compare",act:()=>t.compare(e,o)})),{name:"Learn a site from it",help:"volumes that return light as the scene did",icon:"learn",act:()=>t.learn(e)},...e.card.kind==="scan"?[{name:"Open its scenario",help:"as it was when it was scanned",icon:"text",act:()=>{i.open({layer:e.id})}}]:[],"line",{head:"Export"},...s.map(o=>({name:o.title||o.name,help:o.keeps,icon:"export",act:()=>{Fy(i,e,o.name,o.suffix)}})),"line",{name:"Remove",icon:"trash",act:()=>{i.remove(e)}}]}async function Fy(i,e,t,n){i.say("info",`writing ${e.card.name} as ${t} …`),await i.attempt(async()=>{let{bytes:s,name:r}=await ar(`layers/${e.id}/export`,{format:t},`${e.card.name}${n}`);vi(s,r),i.say("good",`${r} is saved`)})}var Oy=[["likelihood","likelihood: most likely volumes"],["voxel","voxel: one volume per cell"],["top-down","top-down: cells that are divided"],["bottom-up","bottom-up: clusters that are joined"],["surface","surface: hard ground and walls too"]],Pa=class{#e;#t=v("dialog",{class:"sheet","aria-label":"Learn a site","data-test":"learn"});#n=new Map;#i=new Map;banner=v("div",{class:"banner",hidden:!0});constructor(e){this.#e=e,document.body.append(this.#t),e.jobs.on(t=>this.#a(t))}open(e){let t=v("select",{"aria-label":"Model","data-test":"learn-model"},Oy.map(([o,a])=>v("option",{value:o},a))),n=v("input",{type:"number",min:.01,max:100,step:"any",placeholder:"the model's own","aria-label":"Edge of the cells in metres"}),s=v("input",{type:"text",placeholder:"made of the layer's","aria-label":"Name of the scenario"}),r=v("button",{class:"primary","data-test":"learn-start",onclick:()=>{this.#s(e,t.value,Number(n.value),s.value.trim())}},ve("learn",16),"Learn");_e(this.#t,v("h2",null,`Learn a site from ${e.card.name}`),v("p",{class:"soft",style:{"margin-bottom":"14px"}},"A learned site is made of small volumes that stop light as often as the recorded beams were stopped. It becomes a scenario: see the volumes, scan them with any sensor, compare with the recording."),v("div",{style:{display:"grid",gap:"9px"}},cn("model",t),cn("cells, m",n),cn("name",s)),v("div",{class:"row",style:{"justify-content":"flex-end","margin-top":"16px"}},v("button",{onclick:()=>this.#t.close()},"Cancel"),r)),this.#t.showModal()}async#s(e,t,n,s){let r={layer:e.id,model:t,...n>0?{cell_m:n}:{},...s?{name:s}:{}},o=await this.#e.attempt(()=>It("POST","learn",r));o&&(this.#i.set(o.id,e),this.#t.close(),this.#e.jobs.value=[...this.#e.jobs.value.filter(a=>a.id!==o.id),o])}#a(e){let t=e.find(n=>n.state==="running");if(this.banner.hidden=!t,t){let n=v("progress",{max:1});t.share>0&&(n.value=t.share),n.style.width="140px",_e(this.banner,v("span",{class:"spin"}),v("span",null,`${t.name}: ${t.doing||"learning"}`),n,v("button",{class:"small",onclick:()=>{this.#e.attempt(()=>It("POST",`jobs/${t.id}/cancel`))}},"Stop"))}for(let n of e)this.#n.get(n.id)!==n.state&&(this.#n.set(n.id,n.state),n.state==="failed"&&this.#e.say("error",n.problem?.sentence??`${n.name} failed`),n.state==="cancelled"&&this.#e.say("info",`${n.name} was stopped`),n.state==="done"&&this.#i.has(n.id)&&this.#r(n))}async#r(e){await this.#e.attempt(async()=>{this.#e.library.value=await mt("library"),e.scenario&&await this.#e.open({scenario:e.scenario})});let t=v("table",{class:"facts-table"},v("tbody",null,e.facts.map(([n,s])=>v("tr",null,v("td",null,n),v("td",{class:"value"},s)))));_e(this.#t,v("h2",null,"The site is learned"),v("p",{class:"soft",style:{"margin-bottom":"10px"}},"Its volumes are in the picture, as clear as they let light through. Scan it and compare with what it was learned from."),v("div",{style:{"max-height":"44vh",overflow:"auto"}},t),v("div",{class:"row",style:{"justify-content":"flex-end","margin-top":"16px"}},v("button",{onclick:()=>this.#t.close()},"Look at it"),v("button",{class:"primary","data-test":"learn-scan",onclick:()=>{this.#t.close(),this.#e.scan()}},ve("scan",16),"Scan it"))),this.#t.open||this.#t.showModal()}};function gd(i){let e=v("div",{class:"toast",role:"status",hidden:!0,"data-test":"toast"});document.body.append(e);let t=0;i.notice.on(n=>{n&&(clearTimeout(t),e.hidden=!1,e.className=`toast ${n.kind}`,_e(e,ve(n.kind==="error"?"warn":n.kind==="good"?"check":"scan"),v("span",{class:"grow"},n.text),v("button",{class:"plain small square","aria-label":"Close",onclick:()=>e.hidden=!0},ve("close",14))),t=setTimeout(()=>e.hidden=!0,n.kind==="error"?12e3:4e3))})}function Ac(i){let e=v("div",{class:"banner",hidden:!0,role:"status","data-test":"banner"}),t=()=>{let{state:n}=i.live.connection.value,{busy:s,problem:r}=i.building.value;e.hidden=!1,n==="lost"?(e.className="banner bad",_e(e,v("span",{class:"spin"}),"The program does not answer. What is here stays; the page connects again when the program is back.")):n==="refused"?(e.className="banner bad",_e(e,ve("warn",17),"The program was started anew: open the address that it printed.")):s?(e.className="banner",_e(e,v("span",{class:"spin"}),"building the world …")):r?(e.className="banner bad",_e(e,ve("warn",17),r)):e.hidden=!0};return i.live.connection.on(t),i.building.on(t),e}var By=[["Ctrl Enter","scan; Escape stops"],["Ctrl Z","take back the last edit of the scenario"],["drag","turn about what is looked at (fly: look about)"],["right-drag, Shift drag","move the view"],["wheel","nearer, farther, at the mouse"],["W A S D Q E","fly: forward, left, back, right, down, up"],["arrows","turn"],["double click","look at this place"],["click","a point: its values and its pulse; a surface: its object, which can be dragged"],["F  1  2  3","fit, at an angle, from above, from the side"],["M  C  R","measure, clipping box, range image"],["X  V","cut walls away, points over surfaces"],["Space","play the time"],["O  [  ]","choose a scenario, left side, right side"],["T","dark or light"]];function yd(){let i=v("dialog",{class:"sheet","aria-label":"Keys"});return _e(i,v("h2",null,"Keys"),v("div",{class:"keys"},By.flatMap(([e,t])=>[v("span",null,e.split("  ").map(n=>[v("kbd",null,n)," "])),v("span",{class:"soft"},t)])),v("div",{class:"row",style:{"justify-content":"flex-end","margin-top":"16px"}},v("button",{onclick:()=>i.close()},"Close"))),document.body.append(i),i}var Cc=4294967295,Ia=class{element;#e;#t;#n=v("canvas",{"data-test":"range-image","aria-label":"Range image"});#i=v("div",{class:"cross",hidden:!0});#s=v("div",{class:"cross",hidden:!0});#a=v("span",{class:"soft cut"});#r=v("select",{"aria-label":"Sensor of the range image",onchange:()=>this.#d()});#l=v("select",{"aria-label":"Scan of the range image",onchange:()=>this.#d()});#u;#o;#c=!0;#h=null;#p="";constructor(e,t){this.#e=e,this.#t=t,this.#u=v("button",{class:"plain small square",title:"Show or hide the range image (R)","aria-label":"Show or hide the range image",onclick:()=>this.toggle()},ve("down",15)),this.#r.style.width="auto",this.#l.style.width="auto",this.#o=v("div",{class:"range-image"},this.#n,this.#i,this.#s),this.#s.style.borderColor="var(--amber)",this.element=v("div",null,v("div",{class:"bar"},ve("image",16),v("span",{class:"title"},"Range image"),this.#a,v("span",{class:"grow"}),this.#r,this.#l,this.#u),this.#o),this.#n.addEventListener("pointermove",n=>{let s=this.#y(n);e.hover.value=s===null||!this.#h?null:{layer:this.#h.layer,point:s}}),this.#n.addEventListener("pointerleave",()=>e.hover.value=null),this.#n.addEventListener("click",n=>{let s=this.#y(n);s!==null&&this.#h&&(e.picked.value={layer:this.#h.layer,point:s})}),e.active.on(()=>this.#f()),e.grew.on(()=>this.#f()),e.layers.on(()=>this.#f()),t.scale.on(()=>this.#m()),e.hover.on(()=>this.#v(this.#i,e.hover.value)),e.picked.on(()=>this.#v(this.#s,e.picked.value)),new ResizeObserver(()=>this.#g()).observe(this.#o),this.#f()}toggle(){this.#c=!this.#c,this.#f()}#f(){let e=this.#e.activeLayer,t=e!==null&&e.cloud.count>0;if(this.element.hidden=!t,this.#o.hidden=!this.#c||!t,_e(this.#u,ve(this.#c?"down":"right",15)),!(!t||!this.#c)){if(this.#r.dataset.of!==`${e.id} ${e.card.scans.join()}`){this.#r.dataset.of=`${e.id} ${e.card.scans.join()}`,_e(this.#r,e.card.sensors.map((s,r)=>v("option",{value:r},s))),this.#r.hidden=e.card.sensors.length<2;let n=e.card.scans[Number(this.#r.value)||0]??0;_e(this.#l,v("option",{value:""},"all scans"),Array.from({length:Math.min(n+1,500)},(s,r)=>v("option",{value:r},`scan ${r}`))),this.#l.hidden=n===0}this.#d()}}#d(){let e=this.#e.activeLayer;if(!e)return;let n=["waiting","building","running"].includes(e.card.state)||e.streaming?Math.floor(Math.log2(e.cloud.count+1)):`all ${e.cloud.count}`,s=`${e.id} ${this.#r.value} ${this.#l.value} ${n}`;if(s===this.#p)return;this.#p=s;let r={sensor:this.#r.value||0,scan:this.#l.value===""?null:this.#l.value};_t("GET",`layers/${e.id}/image`,{query:r}).then(o=>o.arrayBuffer()).then(o=>{if(s!==this.#p)return;let a=An(o),l=a.header.extra;this.#h={layer:e,extra:l,points:a.column("point"),ranges:a.column("range_m"),where:null},this.#a.textContent=`${l.width} × ${l.height}, azimuth ${l.azimuth_deg[0].toFixed(0)}° … ${l.azimuth_deg[1].toFixed(0)}°`,this.#g(),this.#m()}).catch(o=>{s===this.#p&&(this.#h=null,this.#a.textContent=o instanceof Error?o.message:"",this.#o.hidden=!0)})}#g(){if(!this.#h)return;let{width:e,height:t}=this.#h.extra,n=this.#o.clientWidth-20,s=Math.max(40,Math.min(innerHeight*.2,Math.max(n*t/e,t<20?t*4:64)));this.#n.style.height=`${Math.round(s)}px`,this.#v(this.#s,this.#e.picked.value)}#m(){let e=this.#h;if(!e||this.#o.hidden)return;let{width:t,height:n}=e.extra;if(t*n===0)return;this.#n.width=t,this.#n.height=n;let s=this.#n.getContext("2d");if(!s)return;let r=s.createImageData(t,n),o=this.#t.scale.value,a=o.categories?Ta(o.column):gs(this.#e.look.value.scale,this.#e.look.value.reversed),l=parseInt(Bn(e.layer.number).slice(1),16),c=e.layer.cloud.count,h=e.layer.value(o.column),d=o.high-o.low||1;for(let u=0;u<e.points.length;u++){let f=e.points[u],p=u*4;if(r.data[p+3]=255,f===Cc||f>=c){let g=e.ranges[u]===-1?0:16;r.data.fill(g,p,p+3);continue}let _=h(f);if(o.column==="layer")r.data[p]=l>>16,r.data[p+1]=l>>8&255,r.data[p+2]=l&255;else if(Number.isNaN(_))r.data.fill(110,p,p+3);else{let g=o.categories?Math.round(_)%1024*4:Math.round(Math.max(0,Math.min(1,(_-o.low)/d))*255)*4;r.data[p]=a[g],r.data[p+1]=a[g+1],r.data[p+2]=a[g+2]}}s.putImageData(r,0,0)}#y(e){let t=this.#h;if(!t)return null;let n=this.#n.getBoundingClientRect(),{width:s,height:r}=t.extra,o=Math.floor((e.clientX-n.left)/n.width*s),a=Math.floor((e.clientY-n.top)/n.height*r);for(let[l,c]of[[0,0],[1,0],[-1,0],[0,1],[0,-1],[2,0],[-2,0]]){let h=o+l,d=a+c;if(h<0||d<0||h>=s||d>=r)continue;let u=t.points[d*s+h];if(u!==Cc)return u}return null}#v(e,t){let n=this.#h;if(e.hidden=!0,!n||!t||t.layer!==n.layer||this.#o.hidden)return;if(!n.where){n.where=new Map;for(let a=0;a<n.points.length;a++)n.points[a]!==Cc&&n.where.set(n.points[a],a)}let s=n.where.get(t.point);if(s===void 0)return;let{width:r,height:o}=n.extra;e.hidden=!1,e.style.left=`${10+(s%r+.5)/r*this.#n.clientWidth}px`,e.style.top=`${(Math.floor(s/r)+.5)/o*this.#n.clientHeight}px`}};var vd=6;function _d(i,e,t){ti(t,[{name:"Scenario",help:"as TOML",icon:"text",act:()=>ky(i)},{name:"Everything",help:"a pack: the scenario with all files that it names",icon:"pack",act:()=>{zy(i)}},{name:"World",help:"as glTF, for other programs",icon:"world",act:()=>{Vy(i)}},"line",{name:"Picture",help:"PNG, as it is on the screen",icon:"camera",act:()=>{Gy(i,e)}},{name:"Film",help:`${vd} s about what is looked at`,icon:"film",act:()=>{Hy(i,e)}},{name:"Link",help:"reproduces the view; without the token",icon:"link",act:()=>{Xy(i,e)}}],{width:300})}function ky(i){let e=i.document.value;e&&vi(new Blob([e.text],{type:"application/toml"}),`${e.name}.toml`)}async function zy(i){await i.attempt(async()=>{let{bytes:e,name:t}=await ar("document/pack",void 0,`${i.document.value?.name??"scenario"}.pack`);vi(e,t),i.say("good",`${t} is saved`)})}async function Vy(i){i.say("info","writing the world …"),await i.attempt(async()=>{let{bytes:e,name:t}=await ar("world/export",{format:"glb"},`${i.document.value?.name??"world"}.glb`);vi(e,t),i.say("good",`${t} is saved`)})}async function Gy(i,e){await e.settled();let t=await new Promise(n=>e.canvas.toBlob(n,"image/png"));t&&vi(t,`${i.document.value?.name??"studio"}.png`)}async function Hy(i,e,t=vd){let n=["video/webm;codecs=vp9","video/webm;codecs=vp8","video/webm","video/mp4"].find(h=>typeof MediaRecorder<"u"&&MediaRecorder.isTypeSupported(h));if(!n)return i.say("error","this browser cannot record films; save pictures instead");let s=[],r=new MediaRecorder(e.canvas.captureStream(30),{mimeType:n,videoBitsPerSecond:12e6});r.addEventListener("dataavailable",h=>s.push(h.data));let o=new Promise(h=>r.addEventListener("stop",()=>h(),{once:!0})),a=e.rig.view;i.say("info",`recording ${t} s …`),r.start();let l=performance.now();await new Promise(h=>{let d=u=>{let f=Math.min(1,Math.max(0,(u-l)/(t*1e3)));e.rig.set({azimuth:a.azimuth+f*2*Math.PI,flat:!1}),f<1?requestAnimationFrame(d):h()};requestAnimationFrame(d)}),r.stop(),await o,e.rig.set(a);let c=`${i.document.value?.name??"studio"}.${n.includes("mp4")?"mp4":"webm"}`;vi(new Blob(s,{type:n}),c),i.say("good",`${c} is saved`)}async function Wy(i,e){let t=i.document.value;if(!t)return null;let n={};for(let[r,o]of Object.entries(i.look.value))JSON.stringify(o)!==JSON.stringify(_a[r])&&(n[r]=o);let s=i.library.value?.scenarios.find(r=>r.name===t.name);return{scenario:s?.id??t.name,text:t.revision>1||!s?t.text:void 0,view:e.rig.view,look:n,scans:i.layers.value.filter(r=>r.card.kind==="scan"&&r.card.source===t.name).slice(-4).map(({card:r,made:o})=>({...o,name:r.name,seed:r.seed??void 0,interval_s:o?.interval_s??r.interval_s}))}}async function Xy(i,e){let t=await Wy(i,e);if(!t)return;let n=$u(t);history.replaceState(null,"",n.address.slice(location.origin.length));try{await navigator.clipboard.writeText(n.address),i.say("good",`The link is copied, and in the address bar.${n.whole?"":" The text was too long for it: send the scenario along."}`)}catch{i.say("good","The link is in the address bar.")}}async function xd(i,e,t){let n=i.document.value;if(t.text!==void 0&&t.text!==n?.text?await i.open({text:{name:t.scenario,text:t.text}}):t.text===void 0&&n?.name!==t.scenario&&await i.open({scenario:t.scenario}),i.look.patch(t.look),e.rig.set(t.view),(await mt("document")).good_revision===0)return;let r=i.layers.value;for(let o of t.scans.slice(0,4))r.some(a=>a.card.name===o.name&&a.card.seed===(o.seed??null))||await i.scan(o)}var hr=class{constructor(e){this.root=e}root;resolve(e){let t=e;for(let n=0;t.$ref&&n<16;n++){let s=this.root.$defs?.[t.$ref.replace("#/$defs/","")];if(!s)break;let{$ref:r,...o}=t;t={...s,...o,$ref:s.$ref}}return t}kind(e){let t=this.resolve(e),n=Array.isArray(t.type)?t.type[0]:t.type;if(this.choices(t).length>0)return"choice";if(n==="object")return t.properties?"table":"map";if(n==="array"&&t.items){let s=this.resolve(t.items);return s.type==="object"?"tables":(s.type==="number"||s.type==="integer")&&t.minItems!==void 0&&t.minItems===t.maxItems&&t.minItems<=4?"vector":"free"}return n==="number"?"number":n==="integer"?"integer":n==="string"?"text":n==="boolean"?"flag":"free"}choices(e){let t=this.resolve(e);return t.enum?t.enum.map(n=>({value:String(n),help:""})):t.oneOf?.every(n=>typeof n.const=="string")?t.oneOf.map(n=>({value:String(n.const),help:n.description??""})):[]}limits(e){let t=this.resolve(e),n=t.items?this.resolve(t.items):t,s=[],r=o=>Math.abs(o)<1e9;return n.exclusiveMinimum!==void 0&&r(n.exclusiveMinimum)&&s.push(`above ${n.exclusiveMinimum}`),n.minimum!==void 0&&r(n.minimum)&&s.push(`at least ${n.minimum}`),n.exclusiveMaximum!==void 0&&r(n.exclusiveMaximum)&&s.push(`below ${n.exclusiveMaximum}`),n.maximum!==void 0&&r(n.maximum)&&s.push(`at most ${n.maximum}`),t.default!==void 0&&s.push(`${JSON.stringify(t.default)} where nothing is said`),s.join(", ")}help(e,t){let n=this.resolve(t),s=this.limits(t);return[e,n.description?.replaceAll(`
`," "),s?`${s[0].toUpperCase()}${s.slice(1)}.`:""].filter(Boolean).join(`
`)}first(e){let t=this.resolve(e);if(t.default!==void 0)return t.default;let n=s=>{let r=s.minimum??s.exclusiveMinimum??-1/0,o=s.maximum??s.exclusiveMaximum??1/0,a=c=>c>=r&&c<=o&&c!==s.exclusiveMinimum&&c!==s.exclusiveMaximum,l=[0,1,r,o].find(a)??(r+o)/2;return Number.isFinite(l)?l:0};switch(this.kind(t)){case"choice":return this.choices(t)[0].value;case"number":case"integer":return n(t);case"vector":return Array.from({length:t.minItems??3},()=>n(this.resolve(t.items??{})));case"flag":return!0;case"text":return"";case"table":return this.firstTable(t);case"tables":return[this.firstTable(this.resolve(t.items??{}))];case"map":return{};case"free":{let s=t.anyOf?.[0];return s?this.first(s):t.type==="array"?[]:""}}}firstTable(e){let t=this.resolve(e),n={};for(let s of t.required??[])t.properties?.[s]&&(n[s]=s==="name"?"new":this.first(t.properties[s]));return n}};var Cn=i=>i.join("."),La=class{element=v("div",{class:"form scroll","data-test":"form"});#e;#t;#n;#i=new Set(["","sensor","sensor.0","platform"]);#s=new Map;constructor(e,t,n){this.#e=e,this.#t=new hr(t),this.#n=new hr(n),e.document.watch(()=>this.#a()),e.library.on(()=>this.#a())}reveal(e){for(let n=0;n<=e.length;n++)this.#i.add(Cn(e.slice(0,n)));this.#a();let t=this.element.querySelector(`[data-path="${CSS.escape(Cn(e))}"]`);t?.scrollIntoView({block:"center"}),t?.querySelector("input, select")?.focus()}#a(){let{value:e}=this.#e.document;if(!e)return;if(e.value===null||typeof e.value!="object"){_e(this.element,v("div",{class:"empty"},ve("warn",28),v("strong",null,"The text is no TOML right now"),v("span",null,e.problems[0]?.sentence??"")));return}let t=document.activeElement,n=t instanceof HTMLElement&&this.element.contains(t)?t.closest("[data-path]")?.dataset.path:void 0,s=n===void 0?0:[...t?.closest("[data-path]")?.querySelectorAll("input, select")??[]].indexOf(t),r=this.element.scrollTop;this.#s=Yy(e),_e(this.element,...this.#l([],this.#t.root,e.value,this.#t)),this.element.scrollTop=r,n!==void 0&&this.element.querySelectorAll(`[data-path="${CSS.escape(n)}"] :is(input, select)`)[s]?.focus()}#r(e,t){this.#e.edit([{path:e,value:t??null}])}#l(e,t,n,s){let r=s.resolve(t),o=r.properties??{},a=[],l=[];for(let c of qy(r,Object.keys(n))){let h=o[c],d=[...e,c];if(!h){a.push(this.#g(d,c,n[c],{},s));continue}if(e.length===0&&c==="version")continue;let u=s.kind(h);c==="override"&&e[0]==="sensor"?l.push(this.#o(d,c,h,n[c],this.#n,this.#n.root)):u==="table"&&bd(n[c])?l.push(this.#o(d,c,h,n[c],s)):u==="tables"&&Array.isArray(n[c])?l.push(this.#c(d,c,h,n[c],s)):a.push(this.#f(d,c,n[c],h,s,r.required?.includes(c)??!1))}return[...a,this.#p(e,r,n,s),...l]}#u(e,t,n){let s=Cn(e),r=v("div",{class:"inner"}),o=v("details",{"data-path":s},v("summary",null,ve("right",14),...t),r),a=()=>{o.open&&r.childElementCount===0&&_e(r,...n()),o.open?this.#i.add(s):this.#i.delete(s)};return o.open=this.#i.has(s),o.open&&_e(r,...n()),o.addEventListener("toggle",a),o}#o(e,t,n,s,r,o){let a=this.#h(e,t),l=Object.keys(s).length,c=l===1?"1 key":`${l} keys`,h=v("span",{class:"grow cut",title:r.help(t,n)},ei(t)[0]," ",v("span",{class:"hint"},c));return this.#u(e,[h,a],()=>this.#l(e,o??n,s,r))}#c(e,t,n,s,r){let o=r.resolve(n),a=r.resolve(o.items??{}),l=v("button",{class:"plain small square",title:`Add to ${t}`,onclick:h=>{h.preventDefault(),this.#i.add(Cn(e)),this.#i.add(Cn([...e,s.length])),this.#r([...e,s.length],r.firstTable(a))}},ve("plus",15)),c=v("span",{class:"grow cut",title:r.help(t,n)},ei(t)[0]," ",v("span",{class:"hint"},String(s.length)));return this.#u(e,[c,l],()=>s.map((h,d)=>{let u=[...e,d];return bd(h)?this.#u(u,[v("span",{class:"grow cut"},Md(h,d)," ",v("span",{class:"hint"},$y(h))),this.#h(u,Md(h,d))],()=>this.#l(u,a,h,r)):null}))}#h(e,t){return v("button",{class:"plain small square",title:`Remove ${t}`,onclick:n=>{n.preventDefault(),n.stopPropagation(),this.#r(e,null)}},ve("trash",14))}#p(e,t,n,s){let r=Object.entries(t.properties??{}).filter(([a])=>!(a in n));if(r.length===0)return null;let o=v("button",{class:"plain small",onclick:()=>ti(o,r.map(([a,l])=>{let[c,h]=ei(a);return{name:h?`${c} (${h})`:c,help:s.resolve(l).description?.replaceAll(`
`," "),act:()=>{this.#i.add(Cn([...e,a])),this.#r([...e,a],a==="preset"?"vlp-16":s.first(l))}}}),{search:"Which key?",width:340})},ve("plus",14),"add a key");return v("div",{class:"add"},o)}#f(e,t,n,s,r,o){let a=r.resolve(s),l=r.kind(s),c=`${Cn(e)}`,h=u=>this.#r(e,u),d;if(t==="preset"&&l==="text"){let u=this.#e.library.value?.sensors??[];d=v("select",{"aria-label":c,onchange:f=>h(f.target.value)},u.map(f=>v("option",{value:f.name,selected:f.name===n},f.title||f.name))),u.some(f=>f.name===n)||d.prepend(v("option",{value:String(n),selected:!0},String(n)))}else if(l==="choice")d=v("select",{"aria-label":c,onchange:u=>h(u.target.value)},r.choices(a).map(u=>v("option",{value:u.value,title:u.help,selected:u.value===n},u.value)));else if(l==="flag")d=v("input",{type:"checkbox",checked:n===!0,"aria-label":c,onchange:u=>h(u.target.checked)});else if(l==="number"||l==="integer")d=this.#d(c,n,a,l==="integer",h);else if(l==="vector"&&Array.isArray(n)){let u=r.resolve(a.items??{});d=v("div",{class:"vector"},n.map((f,p)=>this.#d(`${c}.${p}`,f,u,u.type==="integer",_=>h(n.map((g,m)=>m===p?_:g)))))}else if(l==="text")d=v("input",{type:"text",value:String(n??""),"aria-label":c,onchange:u=>h(u.target.value)});else return this.#g(e,t,n,s,r);return this.#m(e,t,s,r,d,o)}#d(e,t,n,s,r){let o=v("input",{type:"number",step:s?1:"any",value:String(t??""),"aria-label":e,onchange:()=>{o.value!==""&&Number.isFinite(Number(o.value))&&r(Number(o.value))}});return n.minimum!==void 0&&(o.min=String(n.minimum)),n.maximum!==void 0&&(o.max=String(n.maximum)),o}#g(e,t,n,s,r){let o=v("input",{type:"text",value:typeof n=="string"?n:JSON.stringify(n),"aria-label":Cn(e),onchange:()=>{let a=o.value;try{a=JSON.parse(o.value)}catch{}this.#r(e,a)}});return this.#m(e,t,s,r,o,!1)}#m(e,t,n,s,r,o){let[a,l]=ei(t),c=this.#s.get(Cn(e));return v("div",{class:c?"key wrong":"key","data-path":Cn(e)},v("span",{class:"label",title:s.help(t,n)},a,l?v("em",null,l):null),r,o?v("span"):this.#h(e,t),c?v("div",{class:"said"},c.sentence):null)}};function bd(i){return typeof i=="object"&&i!==null&&!Array.isArray(i)}function qy(i,e){let t=["title","name","preset","file","shape","species","position_m","rotation_deg","seed","duration_s"],n=s=>t.includes(s)?t.indexOf(s):i.properties?.[s]?100:200;return[...e].sort((s,r)=>n(s)-n(r))}function Md(i,e){return String(i.name??i.species??i.time_s??`number ${e+1}`)}function $y(i){let e=i.preset??i.shape??i.species??i.kind??(Array.isArray(i.position_m)?i.position_m.join(", "):"");return String(e)}function Yy(i){let e=new Map;for(let t of i.problems){if(t.line===null)continue;let n=i.places.filter(r=>r.line===t.line),s=n.reverse().find(r=>t.column===null||r.column<=t.column)??n[0];s&&e.set(Cn(s.path),t)}return e}var Zy=/("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"?|'[^']*'?)|(#.*)|([+-]?(?:\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?|inf|nan)\b|\btrue\b|\bfalse\b)|([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)(?=\s*=)/g;function Sd(i){let e=/^(\s*\[\[?[^\]]*\]\]?)(.*)$/.exec(i);if(e&&!i.includes("="))return[{kind:"table",text:e[1]},...Sd(e[2])];let t=[],n=0;for(let s of i.matchAll(Zy)){s.index>n&&t.push({kind:"",text:i.slice(n,s.index)});let r=s[1]!==void 0?"string":s[2]!==void 0?"comment":s[3]!==void 0?"number":"key";t.push({kind:r,text:s[0]}),n=s.index+s[0].length}return n<i.length&&t.push({kind:"",text:i.slice(n)}),t}function wd(i,e){let t=[],n=1;for(let s of Sd(i)){let r=[],o=n+s.text.length;if(e&&e[0]<o&&e[1]>n){let a=Math.max(0,e[0]-n),l=Math.min(s.text.length,e[1]-n);r.push([s.text.slice(0,a),!1],[s.text.slice(a,l),!0],[s.text.slice(l),!1])}else r.push([s.text,!1]);for(let[a,l]of r){if(a==="")continue;let c=[s.kind?`t-${s.kind}`:"",l?"bad-span":""].filter(Boolean).join(" ");t.push(c?v("span",{class:c},a):document.createTextNode(a))}n=o}return t}var Jy=250,Ky=18,Na=class{element;#e;#t=v("textarea",{spellcheck:"false",autocapitalize:"off",autocomplete:"off",wrap:"off","aria-label":"The scenario as TOML","data-test":"text"});#n=v("pre",{"aria-hidden":"true"});#i=v("div",{class:"gutter","aria-hidden":"true"});#s;#a=v("div",{class:"problems",role:"alert","data-test":"problems"});#r=0;#l=null;#u="";constructor(e){this.#e=e,this.#s=v("div",{class:"editor"},this.#i,v("div",{class:"paper"},this.#n,this.#t)),this.element=v("div",{class:"grow",style:{display:"flex","flex-direction":"column","min-height":"0"}},this.#s,this.#a),this.#t.addEventListener("input",()=>{this.#h([]),clearTimeout(this.#r),this.#r=setTimeout(()=>{this.#o()},Jy)}),this.#t.addEventListener("keydown",t=>{t.key!=="Tab"||t.shiftKey||t.ctrlKey||(t.preventDefault(),this.#t.setRangeText("    ",this.#t.selectionStart,this.#t.selectionEnd,"end"),this.#t.dispatchEvent(new Event("input")))}),e.document.watch(()=>this.#c())}async#o(){this.#r=0;let{value:e}=this.#t;this.#l=e,await this.#e.write(e),this.#l=null,this.#c()}#c(){let{value:e}=this.#e.document;if(!e)return;let t=this.#r!==0||this.#l!==null&&this.#l!==e.text;if(!t&&this.#t.value!==e.text){let{selectionStart:n,selectionEnd:s}=this.#t;this.#t.value=e.text,this.#t.setSelectionRange(n,s)}e.name!==this.#u&&(this.#u=e.name,this.#s.scrollTop=0),this.#h(t?[]:e.problems),_e(this.#a,e.problems.map(n=>v("button",{onclick:()=>this.goto(n.line??1,n.column??1)},ve("warn",16),v("span",null,n.line===null?"":v("b",null,`Line ${n.line}: `),n.sentence))),e.problems.length>0&&e.good_revision>0?v("div",{class:"kept"},"The world and new scans stay as they were when the text was last right."):null),this.#a.hidden=e.problems.length===0}#h(e){let t=this.#t.value.split(`
`),n=new Map;for(let s of e)s.line!==null&&n.set(s.line,s);_e(this.#i,t.flatMap((s,r)=>[n.has(r+1)?v("span",{class:"bad",title:n.get(r+1)?.sentence},`${r+1}`):String(r+1),`
`])),_e(this.#n,t.flatMap((s,r)=>{let o=n.get(r+1),a=o?.column?[o.column,o.end_column??o.column+1]:null,l=wd(s,a);return o?[v("span",{class:"bad-line","data-test":"bad-line",title:o.sentence},l.length>0?l:" "),`
`]:[...l,`
`]}))}goto(e,t){let s=this.#t.value.split(`
`).slice(0,e-1).reduce((r,o)=>r+o.length+1,0)+t-1;this.#t.focus({preventScroll:!0}),this.#t.setSelectionRange(s,s),this.#s.scrollTop=Math.max(0,(e-1)*Ky-this.#s.clientHeight/3)}};var Da=class{element=v("aside",{class:"side left","aria-label":"Scenario"});text;form=null;mode="form";#e;#t=v("div",{class:"grow",style:{display:"flex","flex-direction":"column","min-height":"0"}});#n;constructor(e){this.#e=e,this.text=new Na(e);let t=(n,s,r)=>v("button",{role:"tab","data-test":`tab-${n}`,onclick:()=>this.show(n)},ve(r,15),s);this.#n={form:t("form","Form","form"),text:t("text","Text","text"),both:t("both","Both","compare")},_e(this.element,v("div",{class:"tabs",role:"tablist"},Object.values(this.#n)),this.#t),this.show("form")}async begin(){let[e,t]=await Promise.all([mt("schema/scenario"),mt("schema/sensor")]);this.form=new La(this.#e,e,t),this.show(this.mode)}show(e){this.mode=e;for(let[n,s]of Object.entries(this.#n))s.setAttribute("aria-selected",String(n===e));let t=this.form?.element??v("div",{class:"empty"},v("span",{class:"spin"}));t.style.flex=e==="both"?"0 0 48%":"",_e(this.#t,e!=="text"?t:null,e!=="form"?this.text.element:null),document.documentElement.classList.toggle("wide-left",e==="both")}reveal(e){this.mode==="text"&&this.show("form"),this.form?.reveal(e)}};var jy=[.05,.1,.25,.5,1,2,5,10],Ua=class{element;#e;#t;#n;#i=v("input",{type:"range",min:0,max:1,step:"any","aria-label":"Time","data-test":"time",oninput:()=>this.seek(Number(this.#i.value))});#s=v("output",null);#a=v("button",{class:"square","data-test":"play",title:"Play (Space)","aria-label":"Play",onclick:()=>this.toggle()},ve("play"));#r=v("select",{"aria-label":"Speed",title:"Speed"},jy.map(e=>v("option",{value:e,selected:e===1},`${e} ×`)));#l=v("select",{"aria-label":"How much stays",title:"How much of the past stays",onchange:()=>this.seek(this.#c??this.#o[1])});#u=v("button",{class:"small","data-test":"all-time",title:"Show all of it",onclick:()=>this.all()},"all");#o=[0,0];#c=null;#h=0;#p=0;#f=!1;#d=null;constructor(e,t,n){this.#e=e,this.#t=t,this.#n=n,this.#r.style.width="auto",this.#l.style.width="auto",this.element=v("div",{class:"time-line","data-test":"timeline"},this.#a,this.#r,this.#i,this.#s,v("div",{class:"row"},this.#l,this.#u));for(let s of[e.layers,e.world,e.active])s.on(()=>this.#g());this.#g()}get playing(){return this.#h!==0}#g(){let e=this.#e.activeLayer,t=this.#e.world.value?.platform,n=e?.timeBase??0,[s,r]=e?e.card.interval_s:[0,t?.duration_s??0],[o,a]=this.#o;this.#o=[s-n,Math.max(r,s)-n],this.#c!==null&&(o!==this.#o[0]||a!==this.#o[1])&&this.all();let l=this.#o[1]-this.#o[0],c=e?.card.moving||t?.moving||t?.things_move||(e?.card.scans.some(h=>h>0)??!1);if(this.element.hidden=!(l>0)||!c,this.element.hidden&&this.#c!==null&&this.all(),this.#i.min=String(this.#o[0]),this.#i.max=String(this.#o[1]),this.#l.dataset.span!==String(l)){this.#l.dataset.span=String(l);let h=this.#e.world.value?.sensors[0]?.scan_duration_s??.1,d=[...new Set([h,l/50,l/10].filter(u=>u>0&&u<l).map(u=>Number(u.toPrecision(2))))].sort((u,f)=>u-f);_e(this.#l,d.map(u=>v("option",{value:u,selected:u===Number(h.toPrecision(2))},`${Ue(u,2)} s trail`)),v("option",{value:l,selected:h>=l},"all before"))}this.#m()}#m(){this.#i.value=String(this.#c??this.#o[1]),this.#s.textContent=this.#c===null?`${Ue(this.#o[1]-this.#o[0],3)} s`:`${this.#c.toFixed(3)} s`,this.#u.setAttribute("aria-pressed",String(this.#c===null)),_e(this.#a,ve(this.playing?"pause":"play")),this.#a.setAttribute("aria-label",this.playing?"Pause":"Play")}toggle(){if(this.element.hidden)return;if(this.playing){cancelAnimationFrame(this.#h),this.#h=0,this.#m();return}(this.#c===null||this.#c>=this.#o[1]-1e-9)&&(this.#c=this.#o[0]),this.#p=performance.now();let e=t=>{this.#h=requestAnimationFrame(e);let n=(this.#c??this.#o[0])+Math.min(.25,(t-this.#p)/1e3)*Number(this.#r.value);this.#p=t,n>=this.#o[1]?(cancelAnimationFrame(this.#h),this.#h=0,this.seek(this.#o[1])):this.seek(n)};this.#h=requestAnimationFrame(e),this.#m()}seek(e){this.#c=Math.max(this.#o[0],Math.min(this.#o[1],e)),this.#e.time.value={at:this.#c,window:Number(this.#l.value)||.1},this.#m(),this.#y(this.#c)}all(){this.playing&&this.toggle(),this.#c=null,this.#e.time.value={...this.#e.time.value,at:null},this.#m(),this.#y(0)}async#y(e){let t=this.#e.world.value?.platform;if(!(!t||!t.moving&&!t.things_move)&&(this.#d=e,!this.#f)){this.#f=!0;try{for(;this.#d!==null;){let n=this.#d;this.#d=null;let s=await _t("GET","world/moment",{query:{time_s:Math.max(0,Math.min(t.duration_s,n))}}),r=An(await s.arrayBuffer()),o=r.header.extra;this.#e.viewport?.world.moment(r),this.#t.moment(o),o.world_from_sensor.forEach((a,l)=>this.#n.moveSensor(l,new I().setFromMatrixPosition(new Xe().fromArray(a)))),this.#e.viewport?.redraw()}}catch{}finally{this.#f=!1}}}};var Td=i=>new jt(new I().fromArray(i[0]),new I().fromArray(i[1])),Fa=class{element;#e;#t;#n;#i;#s;#a;#r;constructor(e,t,n){this.#e=e,this.#t=t,this.#n=n;let s=(r,o,a,l="")=>v("button",{title:o,"aria-label":o,"data-test":l||null,onclick:a},ve(r));this.#i=s("orbit","Turn about what is looked at",()=>this.fly(!1)),this.#s=s("fly","Fly: drag to look about, W A S D Q E to move",()=>this.fly(!0),"fly"),this.#a=s("measure","Measure a distance: click two places (M)",()=>this.measure(),"measure"),this.#r=s("clip","Clipping box (C)",()=>this.clip(),"clip"),this.element=v("div",{class:"tools",role:"toolbar","aria-label":"View"},v("div",{class:"tool-group"},this.#i,this.#s),v("div",{class:"tool-group"},s("fit","Fit everything into the picture (F)",()=>this.fit(),"fit"),s("perspective","From above at an angle (1)",()=>this.corner()),s("top","From above (2)",()=>this.top(),"top"),s("side","From the side (3)",()=>this.side(),"side")),v("div",{class:"tool-group"},this.#r,this.#a)),e.look.watch(r=>this.#r.setAttribute("aria-pressed",String(r.clip.on))),this.fly(!1)}fly(e){this.#t.steering.flying=e,this.#s.setAttribute("aria-pressed",String(e)),this.#i.setAttribute("aria-pressed",String(!e))}measure(){this.#n.toggle(),this.#a.setAttribute("aria-pressed",String(this.#n.on)),this.#t.canvas.style.cursor=this.#n.on?"crosshair":""}clip(){let{clip:e}=this.#e.look.value;if(e.on)return this.#e.look.patch({clip:{...e,on:!1}});let{target:t,distance:n}=this.#t.rig.view,s=n*.22,r=o=>Number(o.toPrecision(3));this.#e.look.patch({clip:{on:!0,low:[r(t[0]-s),r(t[1]-s),r(t[2]-s)],high:[r(t[0]+s),r(t[1]+s),r(t[2]+s)]}})}bounds(){let e=new jt,t=this.#e.world.value;for(let n of this.#e.layers.value){let s=n.visible?n.cloud.bounds():null;if(!s)continue;let r=n.offset(this.#e.origin);e.expandByPoint(new I(...s.low).add(r)),e.expandByPoint(new I(...s.high).add(r))}return e.isEmpty()&&t&&(e.expandByPoint(new I(...t.bounds_m[0])),e.expandByPoint(new I(...t.bounds_m[1]))),e}first(){let e=this.#e.world.value?.platform,t=e?.path[0],[n,s,r,o]=t?.quaternion??[0,0,0,1],a=Math.atan2(2*(o*r+n*s),1-2*(s*s+r*r));this.#t.rig.set({azimuth:e?.moving?a+Math.PI-.5:-2.1,elevation:.42,flat:!1}),this.fit(!1)}extent(){let e=this.bounds(),t=this.#e.world.value;t&&(e.expandByPoint(new I(...t.bounds_m[0])),e.expandByPoint(new I(...t.bounds_m[1]))),!e.isEmpty()&&(this.#t.rig.extent={centre:e.getCenter(new I),radius:Math.max(1,e.getSize(new I).length()/2)})}fit(e=!0){this.extent();let t=this.#e.world.value,n=new jt;if(t&&this.#e.look.value.world>0){let a=Td(t.closed?t.bounds_m:t.focus_m),{target:l,distance:c}=this.#t.rig.view,h=a.getCenter(new I).distanceTo(new I(...l))<c*.01;n.copy(e&&h?Td(t.bounds_m):a)}else n.copy(this.bounds());if(n.isEmpty())return;let s=n.getSize(new I),r=Math.max(.5,Math.hypot(s.x,s.y,s.z)/2),o=(t?.sensors??[]).map(({world_from_sensor:a})=>new I(a[12],a[13],a[14])).filter(a=>n.containsPoint(a));this.#t.rig.fit(n.getCenter(new I),r*.72,this.#t.width/this.#t.height,o,e)}corner(){this.#t.rig.travel({azimuth:-2.1,elevation:.42,flat:!1})}top(){this.#t.rig.travel({azimuth:-Math.PI/2,elevation:Math.PI/2,flat:!0})}side(){let e=this.#t.rig.view.flat&&Math.abs(this.#t.rig.view.elevation)<.01;this.#t.rig.travel({azimuth:e?this.#t.rig.view.azimuth+Math.PI/2:-Math.PI/2,elevation:0,flat:!0})}};var Ed="understory-theme";function Qy(){try{return localStorage.getItem(Ed)}catch{return null}}function Oa(){let e=(Qy()??(matchMedia("(prefers-color-scheme: light)").matches?"light":"dark"))==="light"?"light":"dark";return document.documentElement.dataset.theme=e,e}function Ad(){let i=Oa()==="dark"?"light":"dark";try{localStorage.setItem(Ed,i)}catch{}document.documentElement.dataset.theme=i}var ev=`
in vec4 tint;
out vec4 shade;
void main() {
  shade = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`,tv=`
precision highp float;
in vec4 shade;
out vec4 pixel;
void main() { pixel = shade; }
`;function ht(i,e=1){let t=parseInt(i.slice(1),16);return[(t>>16)/255,(t>>8&255)/255,(t&255)/255,e]}var vn=class{#e=[];#t=[];segment(e,t,n,s=n){this.#e.push(e[0],e[1],e[2],t[0],t[1],t[2]),this.#t.push(...n,...s)}strip(e,t,n=!1){for(let s=1;s<e.length;s++)this.segment(e[s-1],e[s],t);n&&e.length>2&&this.segment(e[e.length-1],e[0],t)}box(e,t,n){let s=r=>[r&1?t[0]:e[0],r&2?t[1]:e[1],r&4?t[2]:e[2]];for(let r=0;r<8;r++)for(let o of[1,2,4])r&o||this.segment(s(r),s(r|o),n)}build(e=!1){let t=new zt;t.setAttribute("position",new Mt(new Float32Array(this.#e),3)),t.setAttribute("tint",new Mt(new Float32Array(this.#t),4));let n=new Bs(t,nv(e));return n.frustumCulled=!1,n.renderOrder=10,n}},Cd=new Map;function nv(i){let e=Cd.get(i);return e||(e=new Pt({glslVersion:Tn,vertexShader:ev,fragmentShader:tv,transparent:!0,depthWrite:!1,depthTest:!i}),Cd.set(i,e)),e}var Ba=class{pulse=new ot(null);#e;#t;#n=v("div",{class:"ring",hidden:!0});#i=v("div",{class:"ring picked",hidden:!0,"data-test":"picked-ring"});#s=null;constructor(e,t,n){this.#e=e,this.#t=t,n.append(this.#n,this.#i),t.onDrawn.push(()=>this.place()),e.hover.on(()=>this.place()),e.picked.on(()=>this.place()),this.pulse.on(s=>this.#r(s))}position(e){let t=e.layer.cloud.position(e.point);return t?new I(...t).add(e.layer.offset(this.#e.origin)):null}place(){this.#a(this.#n,this.#e.hover.value),this.#a(this.#i,this.#e.picked.value)}#a(e,t){let n=t&&this.position(t),s=n&&this.#t.project(n);if(e.hidden=!s,!s||!t)return;let{split:r}=this.#t,o=r.mode==="side"&&r.right===t.layer?s.x+this.#t.width/2:s.x;e.style.transform=`translate(${o.toFixed(1)}px, ${s.y.toFixed(1)}px)`}#r(e){if(this.#s?.geometry.dispose(),this.#s?.removeFromParent(),this.#s=null,e){let t=this.#e.origin,n=a=>[a[0]-t[0],a[1]-t[1],a[2]-t[2]],s=n(e.origin_m),r=new vn,o=Math.min(e.range_m[1],60,...e.sub_rays.flatMap(a=>a.hits.map(l=>l.distance_m*1.6)).concat(60));for(let a of e.sub_rays){if(a.hits.length===0){let l=a.direction.map((c,h)=>s[h]+c*o);r.segment(s,l,ht("#ff9e6b",.35),ht("#ff9e6b",0));continue}for(let l of a.hits){let c=n(l.xyz_m);r.segment(s,c,ht("#ffd27a",l.counts?.9:.3));let h=.004*l.distance_m**.5+.006;for(let d=0;d<3;d++){let u=[...c],f=[...c];u[d]-=h,f[d]+=h,r.segment(u,f,ht(l.counts?"#ffffff":"#ff7a70"))}}}this.#s=r.build(!0),this.#t.notes.add(this.#s)}this.#t.redraw()}};var ka=class{#e;#t;#n;#i=[];#s=v("div",{class:"tip",hidden:!0});constructor(e,t,n){this.#e=e,this.#t=t,this.#n=n,n.append(this.#s),e.world.on(()=>this.build()),e.document.on((s,r)=>{!r&&s&&this.build()}),e.chosenObject.on(s=>{t.world.shared.chosen.value=s,this.build()}),e.look.on((s,r)=>{(s.sensors!==r.sensors||s.path!==r.path)&&this.build()}),t.onDrawn.push(()=>this.#o())}build(){let e=this.#i.find(({element:t})=>t===document.activeElement)?.element.title;this.#a(),e&&this.#i.find(({element:t})=>t.title===e)?.element.focus()}#a(){for(let{element:o}of this.#i)o.remove();this.#i=[];let e=this.#e.world.value,t=this.#e.document.value?.value;if(!e||!t)return;let n=this.#e.look.value;if(n.sensors){let o=Array.isArray(t.sensor)?t.sensor:[];for(let a of e.sensors){let l=a.world_from_sensor,c=Rc(o[a.index]?.position_m);this.#l("sensor",a.name,`${a.title||a.preset}: drag to move it`,new I(l[12],l[13],l[14]),h=>[{path:["sensor",a.index,"position_m"],value:Pc(c,this.#r(h))}])}}let s=t.platform;n.path&&Array.isArray(s?.waypoints)&&e.platform.moving&&s.waypoints.forEach((o,a)=>{let l=Rc(o.position_m),c=typeof o.time_s=="number"?o.time_s:null,h=c===null?null:sv(e.platform.path,c),d=h?new I(...h.position_m):new I(l[0]-e.offset_m[0],l[1]-e.offset_m[1],l[2]-e.offset_m[2]);this.#l("waypoint",`waypoint ${a+1}`,`waypoint ${a+1}${c===null?"":` at ${Ue(c)} s`}: drag to move it`,d,u=>[{path:["platform","waypoints",a,"position_m"],value:Pc(l,u)}])});let r=e.objects[this.#e.chosenObject.value-1];if(r?.table){let o=r.table,a=Rc(iv(t,[...o,"position_m"]));this.#l("object",r.name,`${r.name}: drag to move it`,new I(...r.position_m),l=>[{path:[...o,"position_m"],value:Pc(a,l)}])}this.#o()}#r(e){let t=this.#e.world.value?.platform.path[0];if(!t)return e;let[n,s,r,o]=t.quaternion;return e.clone().applyQuaternion({x:-n,y:-s,z:-r,w:o})}#l(e,t,n,s,r){let o=v("button",{class:`marker ${e}`,title:n,"data-test":`marker-${e}`},e==="sensor"?ve("sensor",13):e==="object"?ve("clip",13):null,v("span",null,t)),a={element:o,place:s,move:r};o.addEventListener("pointerdown",l=>this.#u(a,l)),o.addEventListener("keydown",l=>{let c=l.shiftKey?1:.1,d={ArrowLeft:[-c,0,0],ArrowRight:[c,0,0],ArrowUp:[0,c,0],ArrowDown:[0,-c,0],PageUp:[0,0,c],PageDown:[0,0,-c]}[l.key];d&&(l.preventDefault(),l.stopPropagation(),this.#e.edit(r(new I(...d))))}),this.#n.append(o),this.#i.push(a)}#u(e,t){t.preventDefault(),t.stopPropagation();let{element:n}=e,s=e.place.clone(),r=this.#t.canvas.getBoundingClientRect(),o=h=>{let d=h.clientX-r.left,u=h.clientY-r.top;if(!h.shiftKey)return this.#t.onPlane(d,u,new Yt(new I(0,0,1),-s.z));let f=this.#t.rig.direction().setZ(0).normalize(),p=this.#t.onPlane(d,u,new Yt().setFromNormalAndCoplanarPoint(f,s));return p?new I(s.x,s.y,p.z):null},a=o(t);n.setPointerCapture(t.pointerId),n.classList.add("dragging");let l=h=>{let d=o(h);if(!d||!a)return;let u=h.shiftKey?new I(0,0,d.z-s.z):d.sub(a);u.length()>this.#t.rig.view.distance*20||(e.place.copy(s).add(u),this.#o(),this.#s.hidden=!1,this.#s.textContent=`${Ue(u.x,3)}, ${Ue(u.y,3)}, ${Ue(u.z,3)} m`,this.#s.style.transform=`translate(${h.clientX-r.left+16}px, ${h.clientY-r.top+12}px)`)},c=()=>{n.removeEventListener("pointermove",l),n.classList.remove("dragging"),this.#s.hidden=!0;let h=e.place.clone().sub(s);h.length()<1e-4||this.#e.edit(e.move(h)).then(d=>{(!d||d.problems.length>0)&&e.place.copy(s),this.#o()})};n.addEventListener("pointermove",l),n.addEventListener("pointerup",c,{once:!0}),n.addEventListener("pointercancel",c,{once:!0})}moveSensor(e,t){let n=this.#i.filter(({element:s})=>s.classList.contains("sensor"))[e];n&&n.place.copy(t)}#o(){for(let{element:e,place:t}of this.#i){let n=this.#t.project(t),s=n!==null&&n.x>=0&&n.y>=0&&n.x<=this.#t.width&&n.y<=this.#t.height;e.style.visibility=s||e.classList.contains("dragging")?"visible":"hidden",n&&(e.style.transform=`translate(${n.x.toFixed(1)}px, ${n.y.toFixed(1)}px)`)}}};function Rc(i){return Array.isArray(i)&&i.length===3?i.map(Number):[0,0,0]}function Pc(i,e){return[i[0]+e.x,i[1]+e.y,i[2]+e.z].map(t=>Math.round(t*1e3)/1e3)}function iv(i,e){return e.reduce((t,n)=>typeof t=="object"&&t!==null?t[String(n)]:void 0,i)}function sv(i,e){let t=null;for(let n of i)(!t||Math.abs(n.time_s-e)<Math.abs(t.time_s-e))&&(t=n);return t}var za=class{on=!1;#e;#t=v("div",{class:"tape",hidden:!0,"data-test":"tape"});#n;#i=[];#s=null;constructor(e,t){this.#e=e,this.#n=e.notes,t.append(this.#t),e.onDrawn.push(()=>this.#r())}toggle(){this.on=!this.on,this.on||this.clear()}clear(){this.#i=[],this.#a()}add(e){this.#i.length===2&&(this.#i=[]),this.#i.push(e),this.#a()}#a(){this.#s?.geometry.dispose(),this.#s?.removeFromParent(),this.#s=null;let e=new vn,t=ht("#ffffff"),n=this.#e.rig.view.distance*.012;for(let{x:o,y:a,z:l}of this.#i)e.segment([o-n,a,l],[o+n,a,l],t),e.segment([o,a-n,l],[o,a+n,l],t),e.segment([o,a,l-n],[o,a,l+n],t);let[s,r]=this.#i;if(this.#t.hidden=!r,r){e.segment(s.toArray(),r.toArray(),t);let o=[r.x,r.y,s.z];e.segment(s.toArray(),o,ht("#ffffff",.35)),e.segment(o,r.toArray(),ht("#ffffff",.35));let a=Math.hypot(r.x-s.x,r.y-s.y);this.#t.replaceChildren(`${Ue(s.distanceTo(r),5)} m`,v("small",null,`level ${Ue(a,4)} m, height ${Ue(r.z-s.z,4)} m`))}this.#i.length>0&&(this.#s=e.build(!0),this.#n.add(this.#s)),this.#e.redraw()}#r(){let[e,t]=this.#i;if(!t)return;let n=this.#e.project(e.clone().add(t).multiplyScalar(.5));this.#t.style.visibility=n?"visible":"hidden",n&&(this.#t.style.transform=`translate(${n.x.toFixed(1)}px, ${n.y.toFixed(1)}px) translate(-50%, -140%)`)}};var xi=1e30,rv=new Set(["channel","column","scan"]),Va=class{scale=new ot({column:"",categories:!1,low:0,high:1,sample:new Float32Array(0)});#e;#t;#n=null;#i="";#s={asked:"",limits:"",layers:new Map};#a=0;constructor(e,t){this.#e=e,this.#t=t,e.look.on((n,s)=>{n.colourBy!==s.colourBy&&this.columns(),this.apply()}),e.grew.on(()=>{this.columns()}),e.layers.on(()=>{this.columns()}),e.comparing.on(()=>this.apply()),e.time.on((n,s)=>{n.at===null!=(s.at===null)&&this.columns(),this.apply()})}async columns(){let{colourBy:e}=this.#e.look.value,t=this.#e.time.value.at!==null;this.refresh();let n=this.#e.layers.value;await Promise.all(n.flatMap(s=>[s.need(e),t?s.need("time_s"):null]).map(s=>s?.catch(()=>{})))}refresh(){this.#a||(this.#a=requestAnimationFrame(()=>{this.#a=0,this.#r(),this.apply()}))}#r(){let{colourBy:e}=this.#e.look.value,t=this.#e.time.value.at!==null;for(let n of this.#e.layers.value){let s=e==="height_m"||e==="layer"?n.cloud.count:n.column(e)?.length??0,r=t?n.column("time_s")?.length??0:-1,o={what:`${e} ${t} ${n.version(e)}`,length:s,times:r,count:n.cloud.count},{painted:a}=n;if(a?.what===o.what&&a.length===s&&a.times===r&&a.count===o.count)continue;n.painted=o;let l=a?.what===o.what?Math.min(a.length,t?a.times:a.length):0;n.cloud.use(n.values(e),t?n.values("time_s"):null,l)}this.#i=e}apply(){let{look:e,time:t}=this.#e,n=this.#t,{uniforms:s}=n.points,r=this.#u(e.value);this.scale.value=r,s.limits.value.set(r.low,r.high),s.categories.value=r.categories?1:0,s.colours.value=this.#o(e.value,r),s.size.value=e.value.size*n.renderer.getPixelRatio(),s.metres.value=e.value.metric?e.value.size/100:0,s.opacity.value=e.value.opacity,s.round.value=e.value.round?1:0,n.points.transparent=e.value.opacity<1,n.points.depthWrite=e.value.opacity>=1;let{at:o,window:a}=t.value;s.span.value.set(o===null?-xi:o-a,o===null?xi:o);let{clip:l}=e.value,c=l.on?l.low:[-xi,-xi,-xi],h=l.on?l.high:[xi,xi,xi];s.low.value.set(...c),s.high.value.set(...h),n.world.shared.low.value.set(c[0],c[1],c[2]),n.world.shared.high.value.set(h[0],h[1],h[2]),n.world.group.visible=e.value.world>0,n.world.fade(e.value.world),n.world.shared.faded.value=this.#e.layers.value.some(m=>m.visible&&m.cloud.count>0)?1:0,n.eyeDome=e.value.eyeDome,n.through=e.value.through,n.world.shared.cutaway.value=e.value.cutaway?1:0,n.layers=this.#e.layers.value;let{mode:d,a:u,b:f,at:p}=this.#e.comparing.value,_=this.#e.layer(u),g=this.#e.layer(f);n.split=d!=="off"&&_&&g?{mode:d,left:_,right:g,at:p}:{mode:"one"},this.#l(JSON.stringify([e.value,t.value,r.column,r.categories,d,u,f,p]),JSON.stringify([r.low,r.high]))}#l(e,t){let n=new Map;for(let{id:o,visible:a,painted:l,group:c,cloud:h}of this.#e.layers.value)h.count>0&&n.set(o,{sort:JSON.stringify([a,l?.what,c.position]),points:JSON.stringify(l)});let s=this.#s;this.#s={asked:e,limits:t,layers:n},s.asked===e&&[...s.layers].every(([o,{sort:a}])=>n.get(o)?.sort===a)?(s.limits!==t||[...n].some(([o,{points:a}])=>s.layers.get(o)?.points!==a))&&this.#t.grow():this.#t.redraw()}#u(e){let t=this.#i||e.colourBy,n=this.#e.library.value?.columns.find(h=>h.name===t),s=t==="layer"||(n?.categories??!1)&&!rv.has(t),o=this.#e.layers.value.filter(h=>h.visible&&h.cloud.count>0).map(h=>h.sample(t)).filter(h=>h.length>0),a=o.length===1?o[0]:ov(o);if(s)return{column:t,categories:s,low:0,high:1,sample:a};let[l,c]=e.limits??[_c(a,e.percentiles[0]),_c(a,e.percentiles[1])];return(!Number.isFinite(l)||!Number.isFinite(c))&&([l,c]=[0,1]),c>l||(c=l+Math.max(1e-6,Math.abs(l)*1e-6)),{column:t,categories:s,low:l,high:c,sample:a}}#o(e,t){let n=t.categories?`categories ${t.column}`:`${e.scale} ${e.reversed}`;if(this.#n?.key===n)return this.#n.texture;this.#n?.texture.dispose();let s;if(t.column==="layer"){s=new Uint8Array(4096);for(let r=0;r<1024;r++){let o=parseInt(Bn(r).slice(1),16);s.set([o>>16,o>>8&255,o&255,255],r*4)}}else s=t.categories?Ta(t.column):gs(e.scale,e.reversed);return this.#n={key:n,texture:Zu(s)},this.#n.texture}};function ov(i){let e=new Float32Array(i.reduce((n,s)=>n+s.length,0)),t=0;for(let n of i)e.set(n,t),t+=n.length;return e.sort()}var av=900,Ha=["#54c98b","#6db3ff","#f2b455","#d58cf0","#ff8f70"],Wa=class{#e;#t;#n=new ft;#i=new ft;#s=new ft;#a=new ft;#r=-1;constructor(e,t){this.#e=e,this.#t=t,t.notes.add(this.#n,this.#i,this.#s,this.#a),e.world.on(()=>this.#l()),e.look.on(()=>this.#u())}#l(){let{value:e}=this.#e.world;if(Ga(this.#n),Ga(this.#i),Ga(this.#s),!e)return;for(let h of e.sensors){let d=lv(h);d.matrixAutoUpdate=!1,d.matrix.fromArray(h.world_from_sensor),d.userData.sensor=h.index,this.#n.add(d)}let t=new vn,{path:n,lines_s:s}=e.platform;for(let h=1;h<n.length;h++){let d=s.length===0||s.some(([u,f])=>n[h].time_s>=u&&n[h].time_s<=f+1e-9);t.segment(n[h-1].position_m,n[h].position_m,ht("#6db3ff",d?1:.3))}let r=Math.max(1,Math.floor(n.length/12)),o=Math.max(.4,this.#t.rig.extent.radius*.015);for(let h=0;h<n.length;h+=r){let[d,u,f,p]=n[h].quaternion,_=new I(1,0,0).applyQuaternion({x:d,y:u,z:f,w:p}),g=new I(...n[h].position_m);t.segment(g.toArray(),g.clone().addScaledVector(_,o).toArray(),ht("#6db3ff",1),ht("#6db3ff",.2))}let a=t.build();a.userData.layer="path",this.#s.add(a);let l=new vn;for(let{box_m:h}of e.weather)h&&l.box(h[0],h[1],ht("#c9d4e8",.65));let c=l.build();c.userData.layer="weather",this.#s.add(c),this.#u()}#u(){let{value:e}=this.#e.look;this.#n.visible=e.sensors,this.#i.visible=e.beams;for(let t of this.#s.children)t.visible=t.userData.layer==="path"?e.path:e.weather;if(e.beams&&this.#o(),Ga(this.#a),e.clip.on){let t=new vn;t.box(e.clip.low,e.clip.high,ht("#f2b455",.8)),this.#a.add(t.build())}this.#t.redraw()}async#o(){let{value:e}=this.#e.world;if(!(!e||this.#r===e.revision)){this.#r=e.revision;for(let t of e.sensors)try{let n=await _t("GET","world/beams",{query:{sensor:t.index,limit:av}}),s=An(await n.arrayBuffer());if(this.#e.world.value!==e)return;let r=s.column("direction"),o=Rd(t),a=new vn,l=Ha[t.index%Ha.length];for(let h=0;h<r.length;h+=3)a.segment([0,0,0],[r[h]*o,r[h+1]*o,r[h+2]*o],ht(l,.5),ht(l,.03));let c=a.build();c.matrixAutoUpdate=!1,c.matrix.fromArray(t.world_from_sensor),c.userData.sensor=t.index,this.#i.add(c)}catch{}this.#t.redraw()}}moment(e){for(let t of[this.#n,this.#i])for(let n of t.children){let s=e.world_from_sensor[n.userData.sensor];s&&n.matrix.copy(new Xe().fromArray(s)),n.matrixWorldNeedsUpdate=!0}}};function Ga(i){for(let e of i.children)e.geometry.dispose();i.clear()}function Rd(i){return Math.min(i.range_m[1],12)}function lv(i){let e=new vn,t=Ha[i.index%Ha.length],n=Math.min(Rd(i),6),[s,r]=i.azimuth_deg.map(u=>u*Math.PI/180),[o,a]=i.elevation_deg.map(u=>u*Math.PI/180),l=r-s>6.2,c=(u,f,p=n)=>[p*Math.cos(f)*Math.cos(u),p*Math.cos(f)*Math.sin(u),p*Math.sin(f)],h=(u,f)=>e.strip(Array.from({length:49},(p,_)=>c(s+(r-s)*_/48,u)),ht(t,f));h(o,.85),h(a,.85),a-o>.35&&h((o+a)/2,.3);let d=l?Array.from({length:8},(u,f)=>f*Math.PI/4):[s,r,(s+r)/2];for(let u of d)e.segment(c(u,o,.15),c(u,o),ht(t,.7),ht(t,.25)),e.segment(c(u,a,.15),c(u,a),ht(t,.7),ht(t,.25)),e.strip(Array.from({length:9},(p,_)=>c(u,o+(a-o)*_/8)),ht(t,.3));for(let u of[-.06,.06])e.strip(Array.from({length:17},(f,p)=>[.07*Math.cos(p*Math.PI/8),.07*Math.sin(p*Math.PI/8),u]),ht(t,1));return e.build()}var cv=new Set(["KeyW","KeyA","KeyS","KeyD","KeyQ","KeyE","ArrowLeft","ArrowRight","ArrowUp","ArrowDown"]),Xa=class{flying=!1;taken=()=>!1;onClick=()=>{};onHover=()=>{};onDoubleClick=()=>{};#e;#t=new Set;#n=new Map;#i=0;#s=0;constructor(e,t){this.#e=t,e.addEventListener("pointerdown",s=>{e.focus({preventScroll:!0}),!this.taken(s)&&(e.setPointerCapture(s.pointerId),this.#n.set(s.pointerId,{x:s.clientX,y:s.clientY}),this.#s=0)}),e.addEventListener("pointermove",s=>this.#a(s,e));let n=s=>{if(this.#n.delete(s.pointerId)&&s.type==="pointerup"&&this.#s<4&&s.button===0){let r=e.getBoundingClientRect();this.onClick(s.clientX-r.left,s.clientY-r.top,s)}};e.addEventListener("pointerup",n),e.addEventListener("pointercancel",n),e.addEventListener("contextmenu",s=>s.preventDefault()),e.addEventListener("dblclick",s=>{let r=e.getBoundingClientRect();this.onDoubleClick(s.clientX-r.left,s.clientY-r.top)}),e.addEventListener("wheel",s=>{s.preventDefault();let r=e.getBoundingClientRect(),o=s.deltaMode===1?s.deltaY*30:s.deltaY,a=Math.exp(Math.max(-.6,Math.min(.6,o*.0014)));this.#e.zoom(a,(s.clientX-r.left)/r.width*2-1,1-(s.clientY-r.top)/r.height*2,r.width/r.height)},{passive:!1}),addEventListener("keydown",s=>{!cv.has(s.code)||s.ctrlKey||s.metaKey||s.altKey||qa(s.target)||s.code.startsWith("Arrow")&&document.activeElement!==e||(s.preventDefault(),this.#t.size===0&&(this.#i=performance.now(),requestAnimationFrame(this.#r)),this.#t.add(s.code))}),addEventListener("keyup",s=>this.#t.delete(s.code)),addEventListener("blur",()=>this.#t.clear())}get busy(){return this.#t.size>0||this.#n.size>0&&this.#s>=4}#a(e,t){let n=t.getBoundingClientRect(),s=this.#n.get(e.pointerId);if(!s){e.buttons===0&&this.onHover(e.clientX-n.left,e.clientY-n.top,e);return}let r=e.clientX-s.x,o=e.clientY-s.y;if(!(r===0&&o===0)){if(this.#n.size===2){let a=[...this.#n].find(([l])=>l!==e.pointerId)?.[1];if(a){let l=Math.hypot(s.x-a.x,s.y-a.y),c=Math.hypot(e.clientX-a.x,e.clientY-a.y);l>0&&c>0&&this.#e.zoom(l/c,0,0,1)}}else e.buttons&6||e.shiftKey?this.#e.pan(r,o,n.height):this.flying?this.#e.look(r,o):this.#e.orbit(r,o);this.#s+=Math.abs(r)+Math.abs(o),s.x=e.clientX,s.y=e.clientY}}#r=e=>{if(this.#t.size===0)return;let t=Math.min(.1,Math.max(0,(e-this.#i)/1e3));this.#i=e;let n=(l,c)=>Number(this.#t.has(l))-Number(this.#t.has(c)),s=Math.max(1,Math.min(this.#e.view.distance,200))*.9*t;this.#e.move(n("KeyW","KeyS")*s,n("KeyD","KeyA")*s,n("KeyE","KeyQ")*s);let r=260*t,o=n("ArrowLeft","ArrowRight")*r,a=n("ArrowUp","ArrowDown")*r;(o!==0||a!==0)&&(this.flying?this.#e.look(o,-a):this.#e.orbit(o,a)),requestAnimationFrame(this.#r)}};function qa(i){return i instanceof HTMLElement&&(i.isContentEditable||/^(INPUT|TEXTAREA|SELECT)$/.test(i.tagName))}var hv={moving:45,still:120,more:120},uv={moving:15e3,still:4e4,more:3e4},dv=4e7,$a=class{#e;constructor(e){this.#e=e?{moving:3e4,still:8e4,more:8e4}:{moving:2e6,still:4e6,more:4e6}}points(e){return this.#e[e]}learn(e,t,n,s){let r=this.#e[e],o=hv[e];s>o*1.25?this.#e[e]=Math.max(uv[e],Math.min(r,t)*Math.max(.5,o/s)):s<o*.8&&t<n&&(this.#e[e]=Math.min(dv,r*Math.min(1.6,o/Math.max(s,1))))}};var fv=`
out vec2 place;
void main() {
  place = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}
`,pv=`
precision highp float;
uniform sampler2D picture;
uniform sampler2D depths;
uniform vec2 texel;
uniform vec2 planes;
uniform float flatView;
uniform float strength;
uniform float radius;
uniform float scale;
uniform vec3 skyTop;
uniform vec3 skyLow;
in vec2 place;
out vec4 pixel;

float depth(vec2 at) {
  float raw = texture(depths, at).r;
  if (raw >= 1.0) return -1.0;
  float metres = flatView > 0.5
    ? scale + raw * (planes.y - planes.x)
    : planes.x * planes.y / (planes.y - raw * (planes.y - planes.x));
  return log2(metres);
}

void main() {
  vec4 own = texture(picture, place);
  vec3 sky = mix(skyLow, skyTop, smoothstep(0.0, 1.0, place.y));
  vec3 colour = own.rgb + sky * (1.0 - own.a);
  if (strength > 0.0) {
    float here = depth(place);
    if (here >= -0.5) {
      float sum = 0.0;
      for (int i = 0; i < 8; i++) {
        float angle = float(i) * 0.7853981634;
        float there = depth(place + vec2(cos(angle), sin(angle)) * radius * texel);
        if (there >= -0.5) sum += max(0.0, here - there);
      }
      // Surfaces have their own light; points have nothing else.
      float share = own.a > 0.993 ? 1.0 : 0.2;
      colour *= max(0.2, exp(-sum / 8.0 * 40.0 * strength * share));
    }
  }
  pixel = vec4(colour, 1.0);
}
`,Ya=class{target;#e;#t=new ui;#n=new Jn(-1,1,1,-1,0,1);constructor(e){this.target=new Rt(4,4,{samples:e,magFilter:ct,minFilter:ct}),this.target.depthTexture=new Sn(4,4,an),this.#e=new Pt({glslVersion:Tn,vertexShader:fv,fragmentShader:pv,depthTest:!1,depthWrite:!1,uniforms:{picture:{value:this.target.texture},depths:{value:this.target.depthTexture},texel:{value:new ze},planes:{value:new ze},flatView:{value:0},strength:{value:1},radius:{value:1.4},scale:{value:1},skyTop:{value:new Ge},skyLow:{value:new Ge}}});let t=new Qt(new Ni(2,2),this.#e);t.frustumCulled=!1,this.#t.add(t)}resize(e,t){this.target.setSize(e,t),this.#e.uniforms.texel.value.set(1/e,1/t)}sky(e,t){this.#e.uniforms.skyTop.value.setStyle(e),this.#e.uniforms.skyLow.value.setStyle(t)}compose(e,t,n,s,r){let{uniforms:o}=this.#e;o.planes.value.set(t.near,t.far),o.flatView.value=t instanceof Jn?1:0,o.strength.value=n,o.radius.value=1.4*s,o.scale.value=r,e.setRenderTarget(null),e.render(this.#t,this.#n)}};function Pd(i,e,t,n,s,r,o,a,l=1/0){let c=null,h=1/0,d=Math.max(1,Math.ceil(i.reduce((f,p)=>f+p.cloud.count,0)/l)),u=new Xe().multiplyMatrices(e.projectionMatrix,e.matrixWorldInverse);for(let f of i){let{position:p}=f.group,_=u.clone().multiply(new Xe().makeTranslation(p.x,p.y,p.z)).elements,g=a.low.clone().sub(p),m=a.high.clone().sub(p);f.cloud.chunks.forEach((M,C)=>{if(!mv(_,M.low,M.high,t,n,s,r,o))return;let{positions:E,times:R}=M;for(let A=0;A<M.count;A+=d){let y=E[A*3],S=E[A*3+1],F=E[A*3+2],N=_[3]*y+_[7]*S+_[11]*F+_[15];if(N<=0)continue;let U=((_[0]*y+_[4]*S+_[8]*F+_[12])/N+1)*.5*t-s;if(U>o||U<-o)continue;let V=(1-(_[1]*y+_[5]*S+_[9]*F+_[13])/N)*.5*n-r,X=Math.hypot(U,V);if(X>o||y<g.x||S<g.y||F<g.z||y>m.x||S>m.y||F>m.z||R&&(R[A]<a.span[0]||R[A]>a.span[1]))continue;let w=(_[2]*y+_[6]*S+_[10]*F+_[14])/N,G=X*X*.02+N*.01*(e.type==="PerspectiveCamera"?1:0)+(w+1)*.5;G<h&&(h=G,c={layer:f,index:C*65536+A,away:X,depth:w,position:new I(y,S,F).add(p)})}})}return c}function mv(i,e,t,n,s,r,o,a){let l=1/0,c=-1/0,h=1/0,d=-1/0;for(let u=0;u<8;u++){let f=u&1?t[0]:e[0],p=u&2?t[1]:e[1],_=u&4?t[2]:e[2],g=i[3]*f+i[7]*p+i[11]*_+i[15];if(g<=1e-6)return!0;let m=((i[0]*f+i[4]*p+i[8]*_+i[12])/g+1)*.5*n,M=(1-(i[1]*f+i[5]*p+i[9]*_+i[13])/g)*.5*s;l=Math.min(l,m),c=Math.max(c,m),h=Math.min(h,M),d=Math.max(d,M)}return r>l-a&&r<c+a&&o>h-a&&o<d+a}var Za=class{#e=new Rt(1,1,{type:Dt,format:Vt});#t=new Rt(1,1,{type:en,format:Vt});pick(e,t,n,s,r,o,a,l){if(!t.visible||t.children.length===0)return null;s.setViewOffset(r,o,Math.floor(a),Math.floor(l),1,1),s.updateProjectionMatrix();let c={clear:e.getClearAlpha(),target:e.getRenderTarget(),viewport:e.getViewport(new it),scissor:e.getScissorTest()};try{e.setScissorTest(!1),e.setClearAlpha(0),n.mode.value=1,e.setRenderTarget(this.#e),e.clear(),e.render(t,s);let h=new Uint8Array(4);if(e.readRenderTargetPixels(this.#e,0,0,1,1,h),h[3]===0)return null;n.mode.value=2,e.setRenderTarget(this.#t),e.clear(),e.render(t,s);let d=new Float32Array(4);return e.readRenderTargetPixels(this.#t,0,0,1,1,d),{object:h[0]+h[1]*256+h[2]*65536-1,position:new I(d[0],d[1],d[2])}}finally{n.mode.value=0,s.clearViewOffset(),s.updateProjectionMatrix(),e.setRenderTarget(c.target),e.setClearAlpha(c.clear),e.setScissorTest(c.scissor)}}};var xs=50,ur=Math.PI/2-.001,Ja=class{perspective=new kt(xs,1,.05,5e3);flat=new Jn(-1,1,1,-1,.05,5e3);view={target:[0,0,1],distance:40,azimuth:-2.1,elevation:.42,flat:!1};extent={centre:new I,radius:100};#e;#t=0;constructor(e){this.#e=e,this.perspective.up.set(0,0,1),this.flat.up.set(0,0,1)}get camera(){return this.view.flat?this.flat:this.perspective}direction(){let{azimuth:e,elevation:t}=this.view,n=Math.cos(t);return new I(n*Math.cos(e),n*Math.sin(e),Math.sin(t))}eye(){return new I(...this.view.target).addScaledVector(this.direction(),this.view.distance)}metresPerPixel(e){return 2*this.view.distance*Math.tan(xs*Math.PI/360)/e}set(e){cancelAnimationFrame(this.#t),this.#n({...this.view,...e})}#n(e){let t=e.flat?Math.PI/2-1e-6:ur;this.view={...e,elevation:Math.max(-ur,Math.min(t,e.elevation)),distance:Math.max(.02,Math.min(1e6,e.distance))},this.#e()}travel(e){if(cancelAnimationFrame(this.#t),matchMedia("(prefers-reduced-motion: reduce)").matches)return this.set(e);let t=this.view,n={...t,...e},s=Math.atan2(Math.sin(n.azimuth-t.azimuth),Math.cos(n.azimuth-t.azimuth)),r=performance.now(),o=a=>{let l=Math.min(1,Math.max(0,(a-r)/330)),c=l*l*(3-2*l),h=(d,u)=>d+(u-d)*c;this.#n({target:[h(t.target[0],n.target[0]),h(t.target[1],n.target[1]),h(t.target[2],n.target[2])],distance:Math.exp(h(Math.log(t.distance),Math.log(n.distance))),azimuth:t.azimuth+s*c,elevation:h(t.elevation,n.elevation),flat:l<1?t.flat&&n.flat:n.flat}),l<1&&(this.#t=requestAnimationFrame(o))};this.#t=requestAnimationFrame(o)}orbit(e,t){this.set({azimuth:this.view.azimuth-e*.006,elevation:this.view.elevation+t*.006,flat:this.view.flat&&e===0&&t===0})}look(e,t){let n=this.eye();this.view={...this.view,azimuth:this.view.azimuth-e*.004,elevation:Math.max(-ur,Math.min(ur,this.view.elevation+t*.004)),flat:!1};let s=n.addScaledVector(this.direction(),-this.view.distance);this.set({target:[s.x,s.y,s.z]})}pan(e,t,n){let s=this.metresPerPixel(n),{right:r,up:o}=this.axes(),a=new I(...this.view.target).addScaledVector(r,-e*s).addScaledVector(o,t*s);this.set({target:[a.x,a.y,a.z]})}move(e,t,n){let s=this.axes(),r=new I(...this.view.target).addScaledVector(s.forward,e).addScaledVector(s.right,t);r.z+=n,this.set({target:[r.x,r.y,r.z]})}axes(){let e=this.direction().negate(),{azimuth:t}=this.view,n=new I(-Math.sin(t),Math.cos(t),0);return{right:n,up:new I().crossVectors(n,e),forward:e}}zoom(e,t,n,s){let r=this.view.distance,o=r*Math.tan(xs*Math.PI/360),a=1-e,{right:l,up:c}=this.axes(),h=new I(...this.view.target).addScaledVector(l,t*s*o*a).addScaledVector(c,n*o*a);this.set({target:[h.x,h.y,h.z],distance:r*e})}fit(e,t,n,s=[],r=!0){let o=Math.tan(xs*Math.PI/360),a=Math.max(t,.1)/Math.sin(xs*Math.PI/360)*.82/Math.min(1,n),{right:l,up:c,forward:h}=this.axes(),d=f=>{let p=f.clone().sub(e),_=Math.max(.001,p.dot(h)+a)*o;return Math.abs(p.dot(l))>.88*_*n||Math.abs(p.dot(c))>.88*_};for(let f=0;f<30&&s.some(d);f++)a*=1.08;let u={target:[e.x,e.y,e.z],distance:a};r?this.travel(u):this.set(u)}update(e){let t=this.eye(),n=new I(...this.view.target),s=Math.max(t.distanceTo(this.extent.centre)+this.extent.radius*1.5,this.view.distance*2),r=Math.max(.02,Math.min(this.view.distance/60,s/200),s/6e4),{camera:o}=this;if(o.near=this.view.flat?0:r,o.far=s,o instanceof kt)o.aspect=e;else{let a=this.view.distance*Math.tan(xs*Math.PI/360);o.left=-a*e,o.right=a*e,o.top=a,o.bottom=-a,t.copy(n).addScaledVector(this.direction(),this.extent.radius*2+n.distanceTo(this.extent.centre)),o.far=this.extent.radius*4+2*n.distanceTo(this.extent.centre)}return o.position.copy(t),Math.abs(this.view.elevation)>ur-1e-4?o.up.set(-Math.cos(this.view.azimuth),-Math.sin(this.view.azimuth),0):o.up.set(0,0,1),o.lookAt(n),o.updateProjectionMatrix(),o.updateMatrixWorld(),o}};var gv=`
precision highp float;
in float object;
out vec3 seen;
out vec3 world;
flat out float owner;

void main() {
  vec4 at = vec4(position, 1.0);
  #ifdef USE_INSTANCING
  at = instanceMatrix * at;
  #endif
  at = modelMatrix * at;
  world = at.xyz;
  vec4 eye = viewMatrix * at;
  seen = eye.xyz;
  owner = object;
  gl_Position = projectionMatrix * eye;
}
`,yv=`
precision highp float;
uniform vec3 tint;
uniform float opacity;
uniform float mode;
uniform float chosen;
uniform float faded;
uniform vec3 low;
uniform vec3 high;
uniform vec3 sun;
uniform vec3 quiet;
uniform vec3 viewer;
uniform float cutaway;
uniform vec4 ground;
in vec3 seen;
in vec3 world;
flat in float owner;
out vec4 pixel;

void main() {
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  float front = dot(normal, cameraPosition - world);
  // Cut away: what turns another side to the eye than to the sensor stands between them.
  if (cutaway > 0.5 && front * dot(normal, viewer - world) < 0.0) discard;
  if (any(lessThan(world, low)) || any(greaterThan(world, high))) discard;
  if (mode > 1.5) {
    pixel = vec4(world, 1.0);
    return;
  }
  if (mode > 0.5) {
    float number = owner + 1.0;
    pixel = vec4(mod(number, 256.0), mod(floor(number / 256.0), 256.0), floor(number / 65536.0), 255.0) / 255.0;
    return;
  }
  if (front < 0.0 && opacity > 0.99) normal = -normal;
  float sky = 0.5 + 0.5 * normal.z;
  float light = mix(0.40, 0.64, sky) + 0.38 * max(dot(normal, sun), 0.0);
  vec3 colour = tint * light;
  if (chosen > 0.5 && abs(owner - chosen) < 0.5) colour = mix(colour, vec3(1.0, 0.72, 0.25), 0.45);
  float grey = dot(colour, vec3(0.3, 0.59, 0.11));
  colour = mix(colour, vec3(grey) * quiet, faded * 0.72);
  if (opacity < 0.99) {
    pixel = vec4(min(colour, 1.0), opacity);
    return;
  }
  // Level ground fades towards the edge of the world. Surfaces are a little less than opaque: the
  // pass that lights points knows them by it.
  vec2 out_there = abs(world.xy - ground.xy) / ground.zw;
  float left = 1.0 - step(0.9, normal.z) * smoothstep(0.6, 1.0, max(out_there.x, out_there.y));
  pixel = vec4(min(colour, 1.0) * left, 0.985 * left);
}
`,bi=1e30;function Id(){return{mode:{value:0},chosen:{value:0},faded:{value:0},low:{value:new I(-bi,-bi,-bi)},high:{value:new I(bi,bi,bi)},sun:{value:new I(.45,-.35,.82).normalize()},quiet:{value:new I(.5,.56,.53)},viewer:{value:new I},cutaway:{value:0},ground:{value:new it(0,0,bi,bi)}}}function Ld(i,e,t){let n=e<.995;return new Pt({glslVersion:Tn,vertexShader:gv,fragmentShader:yv,side:gn,transparent:n,depthWrite:!n,uniforms:{...t,tint:{value:new Ge(i[0]/255,i[1]/255,i[2]/255)},opacity:{value:e}}})}var Ka=class{group=new ft;shared=Id();extra=null;#e=[];#t=[];#n=new Map;show(e,t){this.clear();let n=e.header.extra;this.extra=n;let s=e.column("position"),r=e.column("index"),o=e.column("instance_mesh"),a=e.column("instance_object"),l=e.column("instance_matrix"),c=new Map;o.forEach((d,u)=>{let f=c.get(d);f?f.push(u):c.set(d,[u])}),this.#e=Array.from(o,()=>({meshes:[],at:0}));let h=new Map;n.meshes.forEach((d,u)=>{let f=c.get(u);if(!f)return;let p=new Mt(s.slice(d.first_vertex*3,(d.first_vertex+d.vertices)*3),3),_=new Float32Array(f.length*16),g=new Float32Array(f.length);f.forEach((m,M)=>{_.set(l.subarray(m*16,m*16+16),M*16),g[M]=a[m]});for(let m of d.parts){let M=new zt;M.setAttribute("position",p),M.setAttribute("object",new di(g,1)),M.setIndex(new Mt(r.slice(m.first_index,m.first_index+m.indices),1));let C=new Os(M,this.#i(h,t,m.material),f.length);C.instanceMatrix=new di(_,16),C.instanceMatrix.setUsage(er),C.frustumCulled=!1,C.renderOrder=(t[m.material-1]?.permeability??null)===null?0:5,this.group.add(C),f.forEach((E,R)=>{this.#e[E].meshes.push(C),this.#e[E].at=R})}})}#i(e,t,n){let s=e.get(n);if(!s){let r=t[n-1],o=r?.permeability??null,a=o===null?1:Math.max(.03,Math.min(.9,1-o));s=Ld(r?.colour??[150,150,150],a,this.shared),this.#t.push(s),this.#n.set(s,a),e.set(n,s)}return s}fade(e){for(let t of this.#t){let n=(this.#n.get(t)??1)*e;t.uniforms.opacity.value=n,t.transparent=n<.995,t.depthWrite=n>=.995}}moment(e){let t=e.column("instance"),n=e.column("matrix"),s=new Xe;t.forEach((r,o)=>{let a=this.#e[r];if(a){s.fromArray(n,o*16);for(let l of a.meshes)l.setMatrixAt(a.at,s),l.instanceMatrix.needsUpdate=!0}})}clear(){for(let e of this.group.children)e.geometry.dispose();for(let e of this.#t)e.dispose();this.group.clear(),this.#t=[],this.#n.clear(),this.#e=[],this.extra=null}};We.enabled=!1;var vv=12,_v=2e4,xv=160,bv=400,Nd=600,ja=class{canvas;renderer;rig;steering;scene=new ui;world=new Ka;notes=new ft;points;software;layers=[];split={mode:"one"};eyeDome=1;through=!1;onDrawn=[];onShown=[];frames=[];shown={points:0,of:0,world:!1};#e;#t;#n=new Za;#i;#s=0;#a=!1;#r=!1;#l=1;#u=0;#o=null;#c=!1;#h=0;#p=[];#f=1;#d=1;#g;#m=0;#y=0;constructor(e,t,n){this.points=t,this.#e=n,this.canvas=document.createElement("canvas"),this.canvas.tabIndex=0,this.canvas.className="stage",this.canvas.setAttribute("aria-label","The scene. Drag to turn, right-drag to move, wheel to zoom, W A S D Q E to fly."),this.renderer=new da({canvas:this.canvas,antialias:!1,alpha:!1,preserveDrawingBuffer:!0,powerPreference:"high-performance"}),this.renderer.outputColorSpace=Ri,this.renderer.autoClear=!1,this.renderer.debug.checkShaderErrors=!1,this.renderer.setClearColor(0,0);let s=this.renderer.getContext(),r=s.getExtension("WEBGL_debug_renderer_info"),o=r?String(s.getParameter(r.UNMASKED_RENDERER_WEBGL)):"";this.software=/swiftshader|llvmpipe|software|basic render/i.test(o),this.renderer.setPixelRatio(this.software?1:Math.min(devicePixelRatio,2)),this.#t=new Ya(this.software?0:4),this.#i=new $a(this.software),this.rig=new Ja(()=>this.redraw()),this.steering=new Xa(this.canvas,this.rig),this.scene.add(this.world.group,n,this.notes),e.append(this.canvas),new ResizeObserver(()=>{clearTimeout(this.#m),this.#y=performance.now(),e.clientWidth>this.#f||e.clientHeight>this.#d?this.redraw():this.#m=window.setTimeout(()=>this.redraw(),Nd+20)}).observe(e),this.canvas.addEventListener("webglcontextrestored",()=>this.redraw()),this.#g=e}get width(){return this.#f}get height(){return this.#d}sky(e,t){this.#t.sky(e,t),this.redraw()}redraw(){this.#r=!0,this.#v()}grow(){if(this.split.mode!=="one"||this.#o===null)return this.redraw();this.#c=!0,this.#h||=window.setTimeout(()=>this.redraw(),bv),this.#v()}#v(){this.canvas.dataset.shown="part",clearTimeout(this.#u),this.#s===0&&!this.#a&&(this.#s=requestAnimationFrame(()=>this.#_()))}settled(){return new Promise(e=>{this.#p.push(e),this.redraw()})}#b(){let e=Math.max(1,Math.round(this.#g.clientWidth)),t=Math.max(1,Math.round(this.#g.clientHeight)),n=e>this.#f||t>this.#d;if(e===this.#f&&t===this.#d||!n&&performance.now()-this.#y<Nd)return;this.#f=e,this.#d=t,this.renderer.setSize(e,t);let s=this.renderer.getPixelRatio();this.#t.resize(Math.round(e*s),Math.round(t*s))}#_(){cancelAnimationFrame(this.#s),this.#s=0,clearTimeout(this.#u),this.#r&&this.#b();let t=this.#r&&this.#o!==null&&this.#o!==this.rig.view?"moving":this.#r?"still":"more",n=t==="more"&&this.#c;t!=="more"&&(clearTimeout(this.#h),this.#h=0);let s=this.split.mode==="one"?this.layers.filter(f=>f.visible):[this.split.left,this.split.right],r=n?Math.max(1,Math.floor(this.#i.points("more")/tn)):vv;if(t!=="more"||n)for(let f of s)r-=f.cloud.flush(r);let o=s.some(f=>f.cloud.stale);this.#c=n&&o;let a=s.reduce((f,p)=>f+p.cloud.count,0),l=Math.min(1,this.#i.points(t)/Math.max(1,a)),c=t==="more"?this.#l:0,h=n?c:c+l>.97?1:c+l;this.#o=this.rig.view,this.#r=!1,this.#l=h;let d=performance.now(),u=this.#w(s,c,h,n);this.shown={points:Math.min(a,t==="more"?this.shown.points+u:u),of:a,world:this.world.extra!==null};for(let f of this.onDrawn)f();this.#a=!0,this.#M(d,f=>{this.#a=!1,this.#i.learn(t,u,a,f);for(let _ of this.onShown)_();if(this.frames.push(f),this.frames.length>240&&this.frames.shift(),this.#r||o&&!n)return this.redraw();if(n||this.#c)return this.#c?this.#v():void 0;if(h>=1)return this.#S();let p=t==="moving"?xv:this.software?f:0;this.#u=window.setTimeout(()=>{t==="moving"?this.redraw():this.#s||=requestAnimationFrame(()=>this.#_())},p)})}#M(e,t){let n=this.renderer.getContext();if(this.software){n.readPixels(0,0,1,1,n.RGBA,n.UNSIGNED_BYTE,new Uint8Array(4));let o=performance.now()-e;setTimeout(()=>t(o),0);return}let s=n.fenceSync(n.SYNC_GPU_COMMANDS_COMPLETE,0);n.flush();let r=()=>{if(!(!s||n.isContextLost()||n.getSyncParameter(s,n.SYNC_STATUS)===n.SIGNALED)&&performance.now()-e<_v)return void setTimeout(r,3);s&&n.deleteSync(s),t(performance.now()-e)};setTimeout(r,0)}#S(){this.canvas.dataset.shown="all";let e=this.#p;this.#p=[];for(let t of e)t()}#w(e,t,n,s){let{renderer:r,split:o}=this,a=r.getPixelRatio(),{target:l}=this.#t;this.points.uniforms.pixels.value=l.height/2;let c=0;for(let u of this.layers)u.group.visible=!1;for(let u of e)u.group.visible=!0,c+=s?u.cloud.drawFresh():u.cloud.draw(t,n);l.scissorTest=!1,l.scissor.set(0,0,l.width,l.height),l.viewport.set(0,0,l.width,l.height),r.setRenderTarget(l);let h=s||t>0;h||r.clear();let d=this.rig.camera;if(o.mode==="one")d=this.rig.update(this.#f/this.#d),this.#x(d,h,n>=1);else{let u=Math.round(l.width*(o.mode==="side"?.5:o.at)),f=(p,_,g)=>{for(let m of this.layers)m.group.visible=m===p;l.scissorTest=!0,l.scissor.set(_,0,g-_,l.height),o.mode==="side"&&l.viewport.set(_,0,g-_,l.height),r.setRenderTarget(l),d=this.rig.update(o.mode==="side"?(g-_)/l.height:l.width/l.height),this.#x(d,h,n>=1)};f(o.left,0,u),f(o.right,u,l.width),l.scissorTest=!1}return this.#t.compose(r,d,this.eyeDome,a,this.rig.view.distance),c}#x(e,t,n){let{renderer:s,scene:r}=this;if(!this.through&&!t)return s.render(r,e);let{visible:o}=this.world.group;t||(this.#e.visible=!1,this.notes.visible=!1,s.render(r,e),s.clearDepth()),this.#e.visible=!0,this.notes.visible=!t||n,this.world.group.visible=!1,s.render(r,e),this.notes.visible=!0,this.world.group.visible=o}warm(){let e=new ps(this.points);e.append(new Float32Array(3)),e.flush(1),e.draw(0,1);let t=new ui;t.add(e.group);let{target:n}=this.#t;n.scissorTest=!0,n.scissor.set(0,0,1,1),this.renderer.setRenderTarget(n),this.renderer.render(t,this.rig.camera),n.scissorTest=!1,this.renderer.setRenderTarget(null),e.dispose()}pane(e){let{split:t}=this;if(t.mode==="one")return{left:0,width:this.#f,layers:this.layers.filter(r=>r.visible)};let n=this.#f*(t.mode==="side"?.5:t.at),s=[e<n?t.left:t.right];return t.mode==="swipe"?{left:0,width:this.#f,layers:s}:e<n?{left:0,width:n,layers:s}:{left:n,width:this.#f-n,layers:s}}pointAt(e,t,n,s,r){let o=this.pane(e),a=this.rig.update(o.width/this.#d);return Pd(o.layers,a,o.width,this.#d,e-o.left,t,n,s,r)}surfaceAt(e,t){let n=this.pane(e),s=this.rig.update(n.width/this.#d);return this.#n.pick(this.renderer,this.world.group,this.world.shared,s,n.width,this.#d,e-n.left,t)}project(e,t=new ze){let n=this.pane(0),s=this.rig.update(n.width/this.#d),r=e.clone().applyMatrix4(s.matrixWorldInverse);return r.z>-s.near?null:(r.applyMatrix4(s.projectionMatrix),t.set((r.x+1)*.5*n.width,(1-r.y)*.5*this.#d))}onPlane(e,t,n){let s=this.pane(e),r=this.rig.update(s.width/this.#d),o=new Xs;return o.setFromCamera(new ze((e-s.left)/s.width*2-1,1-t/this.#d*2),r),o.ray.intersectPlane(n,new I)}};var Mv="An even sample while the view moves; at rest the others are drawn over it part by part, so that the page answers also without a graphics card",Sv=6e5;async function wv(){let{view:i}=Hu(),e=new xa;Oa();let t=new wa(e),n=new Pa(e),s=yd();gd(e);let r=v("div",{class:"shell"}),o=v("div",{class:"stage-box"}),a=v("div",{class:"overlay"}),l=v("div",{class:"dock"}),c=new Da(e),h=new Ra(e),d=y=>r.classList.toggle(`no-${y}`);document.body.append(r),o.append(a);let u=null;try{u=new ja(o,e.material,e.clouds),o.prepend(u.canvas),e.viewport=u}catch{fd(e,o)}let f=()=>{Ad(),Ic(u)},_=nd(e,{choose:y=>t.open(y),saveMenu:y=>{u&&_d(e,u,y)},help:()=>s.showModal(),theme:f,panels:d}),g=new Map,m=v("div",{class:"scroll"}),M=y=>{for(let[S,{button:F}]of g)F.setAttribute("aria-selected",String(S===y));_e(m,g.get(y)?.body)},C=null,E=md(e,{compare:(y,S)=>{M("compare"),h.start(y,S)},learn:y=>n.open(y),recordings:()=>t.open("recordings"),fit:y=>{let S=y.cloud.bounds();if(!S||!u)return;let F=new I(...S.low).add(y.offset(e.origin)),N=new I(...S.high).add(y.offset(e.origin));C?.extent(),u.rig.fit(F.clone().add(N).multiplyScalar(.5),F.distanceTo(N)*.3,u.width/u.height)}}),R=(y,S,F)=>g.set(y,{button:v("button",{role:"tab","data-test":`tab-${y}`,onclick:()=>M(y)},S),body:F});if(u){let y=u,S=new Va(e,y),F=new Wa(e,y),N=new ka(e,y,a),U=new za(y,a),V=new Ba(e,y,a);C=new Fa(e,y,U);let X=new Ia(e,S),w=new Ua(e,F,N);R("look","Look",ud(e,S)),R("point","Point",pd(e,V)),R("compare","Compare",h.element),dd(e,a),a.append(C.element,cd(e,S),Rv(e,y),Cv(e,y),Ac(e),n.banner),l.append(X.element,w.element),Ev(e,y,U,()=>M("point")),Av(e,{toolbar:C,timeline:w,image:X,chooser:t,help:s,theme:f,panels:d}),Tv(e,y,C,i===null),e.picked.on(G=>{G&&M("point")}),Ic(y),matchMedia("(prefers-color-scheme: light)").addEventListener("change",()=>{Oa(),Ic(y)})}else R("compare","Compare",h.element),a.append(Ac(e),n.banner);let A=v("aside",{class:"side right","aria-label":"Layers and look"},v("div",{class:"layers-box"},E),v("div",{class:"tabs",role:"tablist"},[...g.values()].map(({button:y})=>y)),m);_e(r,_,c.element,v("main",{class:"centre"},o,l),A),M(u?"look":"compare");try{await Promise.all([e.begin(),c.begin()]);let y=i===null?null:qu(i);i!==null&&!y&&e.say("error","the link holds no view: it was cut or changed on its way"),y&&u&&await xd(e,u,y)}catch(y){Pv(y)}}function Tv(i,e,t,n){let s=!n,r=!n,o=null;i.document.on(l=>o??=l?.name??null),i.world.on(l=>{t.extent();for(let d of i.layers.value)d.place(i.origin);let c=i.document.value?.name??null,h=c!==null&&o!==null&&c!==o;l&&(!s||h&&!r)&&(t.first(),i.chosenObject.value=0,s=!0),h&&(r=!1,o=c),e.redraw()});let a=new Set;i.grew.on(()=>{t.extent();for(let l of i.layers.value)l.cloud.count===0||a.has(l.id)||(a.add(l.id),!(l.card.kind!=="recording"||!l.fresh)&&(i.lookElsewhere(l),i.lookAlone(l),t.extent(),t.fit(!1),i.say("info",`${l.card.name} is shown alone. The eyes in the list and World under Look show the rest again.`)));!i.world.value&&i.layers.value.length===1&&i.layers.value[0].cloud.count>0&&t.fit(!1)})}function Ev(i,e,t,n){let s=()=>{let{uniforms:a}=e.points;return{low:a.low.value,high:a.high.value,span:[a.span.value.x,a.span.value.y]}},r=(a,l)=>e.pointAt(a,l,7,s())?.position??e.surfaceAt(a,l)?.position??null,o=0;e.steering.onHover=(a,l)=>{cancelAnimationFrame(o),o=requestAnimationFrame(()=>{let c=e.pointAt(a,l,6,s(),Sv);i.hover.value=c?{layer:c.layer,point:c.index}:null})},e.canvas.addEventListener("pointerleave",()=>{cancelAnimationFrame(o),i.hover.value=null}),e.steering.onClick=(a,l)=>{if(t.on){let d=r(a,l);d&&t.add(d);return}let c=e.pointAt(a,l,8,s()),h=e.surfaceAt(a,l);c?(i.active.value=c.layer.id,i.picked.value={layer:c.layer,point:c.index},n()):i.picked.value=null,i.chosenObject.value=!c&&h?h.object:0},e.steering.onDoubleClick=(a,l)=>{let c=r(a,l);c&&e.rig.travel({target:[c.x,c.y,c.z],distance:Math.max(1.5,e.rig.eye().distanceTo(c)*.5)})}}function Av(i,e){addEventListener("keydown",t=>{if((t.ctrlKey||t.metaKey)&&t.key==="Enter"){t.preventDefault(),Sa(i);return}if((t.ctrlKey||t.metaKey)&&t.key==="z"&&!qa(t.target)){t.preventDefault(),i.undo();return}if(t.ctrlKey||t.metaKey||t.altKey||qa(t.target)||document.querySelector("dialog[open]"))return;let n={f:()=>e.toolbar.fit(),1:()=>e.toolbar.corner(),2:()=>e.toolbar.top(),3:()=>e.toolbar.side(),m:()=>e.toolbar.measure(),c:()=>e.toolbar.clip(),r:()=>e.image.toggle(),x:()=>i.look.patch({cutaway:!i.look.value.cutaway}),v:()=>i.look.patch({through:!i.look.value.through}),t:e.theme,o:()=>e.chooser.open("scenarios"),"[":()=>e.panels("left"),"]":()=>e.panels("right"),"?":()=>e.help.showModal()};if(t.key===" "&&!(t.target instanceof HTMLButtonElement))t.preventDefault(),e.timeline.toggle();else if(t.key==="Escape")i.layers.value.some(s=>["waiting","building","running"].includes(s.card.state))&&Sa(i),i.picked.value=null,i.chosenObject.value=0;else{let s=n[t.key.toLowerCase()];s&&t.preventDefault(),s?.()}})}function Cv(i,e){let t=v("div",{class:"how-to"},v("kbd",null,"drag"),"turn",v("kbd",null,"wheel"),"nearer",v("kbd",null,"click"),"look inside",v("kbd",null,"?"),"keys");i.grew.on(()=>t.remove());for(let n of["pointerdown","wheel"])e.canvas.addEventListener(n,()=>t.remove(),{once:!0,passive:!0});return t}function Rv(i,e){let t=v("div",{class:"status","data-test":"status"}),n=0,s=()=>{n=performance.now();let{points:l,of:c}=e.shown,{extra:h}=e.world,d=e.frames.slice(-8).sort((p,_)=>p-_),u=i.hover.value,f=u?u.layer.cloud.position(u.point):null;_e(t,f&&u?v("span",null,f.map((p,_)=>(p+u.layer.card.offset_m[_]).toFixed(2)).join(", ")):null,c>0?v("span",l<c?{title:Mv,"data-test":"sampled"}:null,l<c?`${qt(l)} of ${qt(c)} points`:`${qt(c)} points`):null,h?v("span",{title:h.sentence??"every triangle of the world is drawn","data-test":"detail"},h.drawn_triangles<h.all_triangles?`${qt(h.drawn_triangles)} of ${qt(h.all_triangles)} triangles`:`${qt(h.drawn_triangles)} triangles`):null,d.length>0?v("span",{title:"time to make a picture"},`${Ue(d[Math.floor(d.length/2)],2)} ms`):null)},r=new Set,o=(l,c)=>{!c||r.has(l)||(r.add(l),performance.mark(l))},a=0;return e.onShown.push(()=>{e.shown.world&&!r.has("understory-first-picture")&&setTimeout(()=>e.warm(),0),o("understory-first-picture",e.shown.world),o("understory-first-points",e.shown.points>0),clearTimeout(a),performance.now()-n>250?s():a=window.setTimeout(s,250)}),i.hover.on(s),i.grew.on(s),t}function Ic(i){let e=getComputedStyle(document.documentElement),t=document.documentElement.dataset.theme==="light";i?.world.shared.quiet.value.setScalar(t?1.3:.54),i?.sky(e.getPropertyValue("--sky-top").trim(),e.getPropertyValue("--sky-low").trim())}function Pv(i){let e=i instanceof yn&&(i.status===401||i.status===403),t=e?"This page needs the address that `understory studio` printed: it holds the token of this start of the program.":En(i),n=v("button",{class:"primary",onclick:()=>location.reload()},"Try again");if(document.body.append(v("div",{class:"gate","data-test":"gate"},v("div",null,ve("tree",44),v("h1",null,e?"Open the address that the program printed":"The program does not answer"),v("p",{class:"soft"},t),n))),!e){let s=setInterval(()=>{fetch("/",{method:"HEAD",cache:"no-store"}).then(r=>{r.ok&&(clearInterval(s),location.reload())}).catch(()=>{})},1500)}}wv();
